// Faults that remember earlier requests and responses. Each proxy has its own memory.

import { type Json, stringifyJson } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import { type Change, header, items, put } from './answer-changes.ts'
import { at, type ContractFault, errorAnswer, jsonAnswer, type WhenResponse } from './faults.ts'
import { CANCEL, COMPLETE, CREATE, PETS, PLACE } from './operations.ts'
import { isOf, pathOf, type When, withKey } from './requests.ts'
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

/** Returns 429 once, without Retry-After. */
export const refusingOnce: ContractFault = () => {
  let count = 0
  return async (request, pass) => (++count === 5 ? errorAnswer(429, 'rate_limited') : pass(request))
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

/** Adds refused pets that have a name. */
export const addingRefused = at(CREATE, 400).answering(async (response, request, pass) => {
  const name = objectOf(request).get('name')
  if (name) await pass({ ...request, body: Buffer.from(stringifyJson({ name, categoryId: 7 })) })
  return response
})

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

/** Changes a 409 to a request that arrived while another one with the same `subject` was running. */
function racing(subject: (request: ClientRequest) => string | undefined, change: Change): ContractFault {
  return () => {
    const running: string[] = []
    return async (request, pass) => {
      const id = subject(request)
      if (id === undefined) return pass(request)
      const isSecond = running.includes(id)
      running.push(id)
      const response = await pass(request)
      running.splice(running.indexOf(id), 1)
      return response.status === 409 && isSecond ? change(response, request) : response
    }
  }
}

/** Places all simultaneous orders for one pet. */
export const sellingTwice = racing(
  (request) => (isOf(request, PLACE) ? textOf(objectOf(request).get('petId')) : undefined),
  soldAgain,
)

/** Lets both of a simultaneous completion and cancellation succeed. */
export const succeedingTogether = racing(
  (request) => (isOf(request, `${COMPLETE}|${CANCEL}`) ? pathOf(request.target).split('/')[3] : undefined),
  () => jsonAnswer(200, {}),
)

/** Refuses to cancel an expired order. */
export const refusingExpired = at(CANCEL, 204).answering(async (response, request, pass) => {
  const { body } = await pass({ ...request, method: 'GET' })
  return body.includes('"expired"') ? errorAnswer(409, 'order_not_pending') : response
})

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

/** Shows the pet of an order as pending after a matching response. */
export function stuckAfter(operation: string, isMeant: WhenResponse = (_, { status }) => status < 300): ContractFault {
  return remembering(
    () => ({ petOfOrder: new Map<string, string>(), stuck: new Set<string>() }),
    ({ petOfOrder, stuck }, request, response) => {
      if (isOf(request, PLACE)) petOfOrder.set(idOf(response), textOf(objectOf(request).get('petId')))
      if (isOf(request, operation) && isMeant(request, response)) stuck.add(petOfOrder.get(orderOf(request)) ?? '')
      return isOf(request, PETS) && stuck.has(idOf(response)) ? put('status', 'pending')(response, request) : response
    },
  )
}

/** Refuses orders for a pet after one of its orders was cancelled. */
export const refusingAfterCancel = remembering(
  () => ({ petOfOrder: new Map<string, string>(), cancelled: new Set<string>() }),
  ({ petOfOrder, cancelled }, request, response) => {
    const petId = textOf(objectOf(request).get('petId'))
    if (isOf(request, CANCEL)) cancelled.add(petOfOrder.get(orderOf(request)) ?? '')
    if (!isOf(request, PLACE)) return
    if (response.status === 201 && cancelled.has(petId)) return errorAnswer(409, 'pet_not_available')
    petOfOrder.set(idOf(response), petId)
  },
)

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
const orderOf = ({ target }: ClientRequest) => pathOf(target).split('/')[3] ?? ''
