// Faults that remember earlier requests and responses.

import type { Json } from '../../../../contract/src/json.ts'
import { headerOf } from '../../../../verify/src/headers.ts'
import type { Behaviour, ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import { type Change, header, items, put } from './changes.ts'
import { type ContractFault, errorAnswer, jsonAnswer } from './faults.ts'
import { CREATE, ONE } from './operations.ts'
import { isOf, type When, withKey } from './requests.ts'
import { objectOf, textOf } from './values.ts'

interface Exchange {
  request: ClientRequest
  response: ServiceResponse
}
type Answer = ServiceResponse | Promise<ServiceResponse>
export type Later = (request: ClientRequest, first: Exchange, pass: Pass) => Answer | undefined
/** Returns the same text for requests that belong together. */
type Subject = (request: ClientRequest) => string | undefined

/** Makes a fault that sees each request with its response. `begin` creates the memory of a proxy. */
export function remembering<Memory>(
  begin: () => Memory,
  judge: (memory: Memory, request: ClientRequest, response: ServiceResponse, pass: Pass) => Answer | undefined,
): ContractFault {
  return () => {
    const memory = begin()
    return async (request, pass) => {
      const response = await pass(request)
      return judge(memory, request, response, pass) ?? response
    }
  }
}

/** Calls `later` for each request after the first one with the same subject, whose response `isFirst` accepts. */
export function afterFirst(on: string, subject: Subject, later: Later, isFirst = (_: ServiceResponse) => true) {
  return (): Behaviour => {
    const firsts = new Map<string, Exchange>()
    return async (request, pass) => {
      const name = isOf(request, on) ? subject(request) : undefined
      const first = name === undefined ? undefined : firsts.get(name)
      const response = (await (first && later(request, first, pass))) ?? (await pass(request))
      if (name !== undefined && !first && isFirst(response)) firsts.set(name, { request, response })
      return response
    }
  }
}

/** As `afterFirst`, but `change` gets the response to the later request. */
const changingLater = (
  on: string,
  subject: Subject,
  isFirst: (response: ServiceResponse) => boolean,
  change: (response: ServiceResponse, request: ClientRequest, first: Exchange, pass: Pass) => Answer,
) => afterFirst(on, subject, async (request, first, pass) => change(await pass(request), request, first, pass), isFirst)

/** Calls `second` for a request that arrives while another one with the same subject is running. */
export function whileRunning(
  subject: Subject,
  second: (request: ClientRequest, pass: Pass) => Promise<ServiceResponse>,
): ContractFault {
  return () => {
    const running: string[] = []
    return async (request, pass) => {
      const id = subject(request)
      if (id === undefined) return pass(request)
      const isSecond = running.includes(id)
      running.push(id)
      const response = await (isSecond ? second(request, pass) : pass(request))
      running.splice(running.indexOf(id), 1)
      return response
    }
  }
}

const any = () => ''
const isDone = ({ status }: ServiceResponse) => status < 300
const isRead = ({ status }: ServiceResponse) => status === 200
const targetOf = ({ target }: ClientRequest) => target
const keyOf = ({ headers }: ClientRequest) => headerOf(headers, 'Authorization') ?? ''

type KeyTest = (request: ClientRequest, key: string) => boolean
/** Repeats a rejected request with the first working API key, and returns that response if it has the status `only`. */
export function withFirstKey(on: string, refused: 401 | 403, when: KeyTest = () => true, only?: number): ContractFault {
  return changingLater('*', any, isRead, async (response, request, first, pass) => {
    const key = keyOf(first.request)
    if (response.status !== refused || !isOf(request, on) || !when(request, key)) return response
    const other = await pass(withKey(request, key))
    return only === undefined || other.status === only ? other : response
  })
}

/** Whether the request's key starts like `key`. */
export const isSimilar = (request: ClientRequest, key: string) => keyOf(request).startsWith(key.slice(0, -1))

/** Rejects every API key but the first working one. */
export const refusingOthers = (on: string) =>
  changingLater('*', any, isRead, (response, request, first) => {
    const isRefused = isRead(response) && isOf(request, on) && keyOf(request) !== keyOf(first.request)
    return isRefused ? errorAnswer('read_only_key') : response
  })

/** Hides pets that were added through this proxy: from a list, or with `change`. */
export function forgetting(on: string, when: When, change?: Change): ContractFault {
  return remembering(
    () => new Set<string>(),
    (added, request, response) => {
      const isAdded = (pet: Json) => pet instanceof Map && added.has(textOf(pet.get('id')))
      const hide = change ?? items((pets) => pets.filter((pet) => !isAdded(pet)))
      if (isOf(request, CREATE) && response.status === 201) added.add(idOf(response))
      const isMeant = isOf(request, on) && when(request) && (!change || isAdded(objectOf(response)))
      return isMeant ? hide(response, request) : undefined
    },
  )
}

/** Returns an order that the service rejected. */
export const soldAgain: Change = (_, request) => {
  const at = new Date().toISOString()
  const petId = objectOf(request).get('petId')
  const order = { id: 7_000_000, petId, petName: 'petstore verify', status: 'pending', placedAt: at, changedAt: at }
  return header('Location', `${request.target}/7000000`)(jsonAnswer(201, order))
}

/** Changes the response to every successful request after the first for the same address. */
export const secondTime = (on: string, change: Change) =>
  changingLater(on, targetOf, isDone, (response, request) => (isDone(response) ? change(response, request) : response))

/** Repeats the first body of each address. */
export const frozen = (on: string, when: When = () => true) => {
  const subject = (request: ClientRequest) => (when(request) ? request.target : undefined)
  return changingLater(on, subject, isRead, (response, _, first) =>
    isRead(response) ? { ...response, body: first.response.body } : response,
  )
}

/** Whether the pet has an order with this status. */
export async function hasOrder(status: string, petId: string, request: ClientRequest, pass: Pass): Promise<boolean> {
  const target = request.target.replace(/\/(?:pets|store)\/.*/, `/store/orders?petId=${petId}&status=${status}`)
  const { body } = await pass({ ...request, method: 'GET', target, body: Buffer.alloc(0) })
  return body.includes('"id"')
}

/** Shows a pet as pending if it has an order with this status. */
export const stuckAfter = (status: string): ContractFault => ({
  on: ONE,
  status: 200,
  answer: async (response, request, pass) =>
    (await hasOrder(status, idOf(response), request, pass)) ? put('status', 'pending')(response) : response,
})

const idOf = (response: ServiceResponse) => textOf(objectOf(response).get('id'))
