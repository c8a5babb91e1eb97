// Faults that remember earlier requests and responses. Each proxy has its own memory.

import type { Json } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import { type Change, header, items, put } from './answer-changes.ts'
import { type ContractFault, errorAnswer, faultsAt, jsonAnswer } from './faults.ts'
import { CREATE, ONE } from './operations.ts'
import { isOf, type When, withKey } from './requests.ts'
import { objectOf, textOf } from './values.ts'

/** Makes a fault that sees each request with its response. `begin` creates the memory of a proxy. */
export function remembering<Memory>(
  begin: () => Memory,
  judge: (memory: Memory, request: ClientRequest, response: ServiceResponse, pass: Pass) => unknown,
): ContractFault {
  return () => {
    const memory = begin()
    return async (request, pass) => {
      const response = await pass(request)
      return ((await judge(memory, request, response, pass)) as ServiceResponse | undefined) ?? response
    }
  }
}

/** Repeats a refused request with the first working API key, and returns that response if it has the status `only`. */
export function withFirstKey(
  operations: string,
  refused: 401 | 403,
  when: (request: ClientRequest, key: string) => boolean = () => true,
  only?: number,
): ContractFault {
  return remembering(
    () => ({ key: '' }),
    async (memory, request, response, pass) => {
      if (response.status === 200) memory.key ||= headerOf(request.headers, 'Authorization') ?? ''
      if (response.status !== refused || !isOf(request, operations) || !when(request, memory.key)) return response
      const other = await pass(withKey(request, memory.key))
      return only === undefined || other.status === only ? other : response
    },
  )
}

/** Whether the request's key starts like `key`. */
export const isSimilar = ({ headers }: ClientRequest, key: string) =>
  key !== '' && (headerOf(headers, 'Authorization') ?? '').startsWith(key.slice(0, -1))

/** Refuses every API key but the first working one. */
export function refusingOthers(operations: string): ContractFault {
  return remembering(
    () => ({ key: '' }),
    (memory, request, { status }) => {
      if (status !== 200) return
      const given = headerOf(request.headers, 'Authorization') ?? ''
      memory.key ||= given
      return given !== memory.key && isOf(request, operations) ? errorAnswer(403, 'read_only_key') : undefined
    },
  )
}

/** Hides pets that were added through this proxy: from a list, or with `change`. */
export function forgetting(operation: string, when: When, change?: Change): ContractFault {
  return remembering(
    () => new Set<string>(),
    (added, request, response) => {
      const isAdded = (pet: Json) => pet instanceof Map && added.has(textOf(pet.get('id')))
      const hide = change ?? items((pets) => pets.filter((pet) => !isAdded(pet)))
      if (isOf(request, CREATE) && response.status === 201) added.add(idOf(response))
      const isMeant = isOf(request, operation) && when(request) && (!change || isAdded(objectOf(response)))
      return isMeant ? hide(response, request) : response
    },
  )
}

/** Keeps the first ETag of each address while `says` returns the same text for the response; by default, always. */
export function keepingTags(operation: string, says: (response: ServiceResponse) => string = () => ''): ContractFault {
  return () => {
    const tags = new Map<string, string>()
    return async (request, pass) => {
      if (!isOf(request, operation)) return pass(request)
      const plain = await pass({ ...request, headers: request.headers.filter(([name]) => !/^If-/i.test(name)) })
      const current = headerOf(plain.headers, 'ETag')
      const subject = request.target + says(plain)
      const first = tags.get(subject)
      if (!current) return pass(request)
      if (!first) tags.set(subject, current)
      const kept = first ?? current
      const headers = request.headers.map(
        ([name, value]) => [name, /^If-/i.test(name) ? value.replaceAll(kept, current) : value] as const,
      )
      const response = await pass({ ...request, headers })
      return headerOf(response.headers, 'ETag') ? header('ETag', kept)(response, request) : response
    }
  }
}

/** Returns an order that the service refused. */
export const soldAgain: Change = (_, request) => {
  const at = new Date().toISOString()
  const petId = objectOf(request).get('petId')
  const order = { id: 7_000_000, petId, petName: 'petstore verify', status: 'pending', placedAt: at, changedAt: at }
  return header('Location', `${request.target}/7000000`)(jsonAnswer(201, order), request)
}

/** Changes the response to every successful request after the first for the same address. */
export function secondTime(operation: string, change: Change): ContractFault {
  return remembering(
    () => new Set<string>(),
    (done, request, response) => {
      if (!isOf(request, operation) || response.status >= 300) return
      const again = done.has(request.target)
      done.add(request.target)
      return again ? change(response, request) : response
    },
  )
}

/** Whether the pet has an order with this status. */
export async function hasOrder(status: string, petId: string, request: ClientRequest, pass: Pass): Promise<boolean> {
  const target = request.target.replace(/\/(?:pets|store)\/.*/, `/store/orders?petId=${petId}&status=${status}`)
  const { body } = await pass({ ...request, method: 'GET', target, body: Buffer.alloc(0) })
  return body.includes('"id"')
}

/** Shows a pet as pending if it has an order with this status. */
export function stuckAfter(status: string): ContractFault {
  return faultsAt(ONE, 200).answering(async (response, request, pass) =>
    (await hasOrder(status, idOf(response), request, pass)) ? put('status', 'pending')(response, request) : response,
  )
}

/** Repeats the first response of each address. */
export function frozen(operation: string, when: When = () => true): ContractFault {
  return remembering(
    () => new Map<string, Buffer>(),
    (first, request, response) => {
      if (!isOf(request, operation) || !when(request) || response.status !== 200) return
      if (!first.has(request.target)) first.set(request.target, response.body)
      return { ...response, body: first.get(request.target) }
    },
  )
}

const idOf = (response: ServiceResponse) => textOf(objectOf(response).get('id'))
