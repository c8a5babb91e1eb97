// A contract fault, and the behaviour of a proxy that has it.

import { ERROR_STATUS, type ErrorCode } from '../../../../contract/src/generated.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import type { Behaviour, ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import type { Change, RequestChange } from './changes.ts'
import { isOf } from './requests.ts'

/** Has `send`, `again`, `answer` or `refuse`. */
export interface Fault {
  /** Methods and paths, such as `GET /pets/*`. */
  on: string
  /** The status of the responses that change; without it, any. */
  status?: number | undefined
  when?: When
  /** Changes the request. */
  send?: RequestChange
  /** Changes the request and sends it again, for another response. */
  again?: RequestChange
  answer?: (response: ServiceResponse, request: ClientRequest, pass: Pass) => ServiceResponse | Promise<ServiceResponse>
  /** Returns this error. The request does not reach the service. */
  refuse?: ErrorCode
}
/** A fault with a memory is a function that begins one. Each proxy has its own. */
export type ContractFault = Fault | (() => Behaviour)
/** By the id of the promise that each breaks. */
export type ContractFaults = Readonly<Record<string, ContractFault>>
type When = (request: ClientRequest, response: ServiceResponse) => boolean

export function behaviourOf(fault: ContractFault): Behaviour {
  if (typeof fault === 'function') return fault()
  const { on, status, when = () => true, send, again, answer = (response) => response, refuse } = fault
  return async (request, pass) => {
    if (!isOf(request, on)) return pass(request)
    if (send) return pass(send(request))
    if (refuse) return when(request, NO_RESPONSE) ? errorAnswer(refuse) : pass(request)
    const response = await pass(request)
    if ((status ?? response.status) !== response.status || !when(request, response)) return response
    return again ? pass(again(request)) : answer(response, request, pass)
  }
}
const NO_RESPONSE: ServiceResponse = { status: 0, headers: [], body: Buffer.alloc(0) }

function each<Of>(all: Record<string, Of>, fault: (one: Of) => ContractFault): ContractFaults {
  return Object.fromEntries(Object.entries(all).map(([id, one]) => [id, fault(one)]))
}
/** Faults in the responses to these operations. */
export const answering = (on: string, status: number | undefined, changes: Record<string, Change>): ContractFaults =>
  each(changes, (answer) => ({ on, status, answer }))
/** Faults in the requests that reach the service. */
export const sending = (on: string, changes: Record<string, RequestChange>): ContractFaults =>
  each(changes, (send) => ({ on, send }))
/** Faults that reject valid requests. */
export const refusing = (on: string, refuse: ErrorCode, requests: Record<string, When>): ContractFaults =>
  each(requests, (when) => ({ on, when, refuse }))
/** Returns the faults with `id` as a prefix of their ids. */
export function under(id: string, faults: ContractFaults): ContractFaults {
  return Object.fromEntries(Object.entries(faults).map(([end, fault]) => [`${id}.${end}`, fault]))
}

export function jsonAnswer(status: number, value: unknown): ServiceResponse {
  const headers = [['Content-Type', 'application/json'] as const, ['Cache-Control', 'no-store'] as const]
  return { status, headers, body: Buffer.from(stringifyJson(value)) }
}

/** `status` replaces the one that belongs to the code. */
export function errorAnswer(code: ErrorCode, message = 'No.', status: number = ERROR_STATUS[code]): ServiceResponse {
  const answer = jsonAnswer(status, { code, message, status })
  return { ...answer, headers: [...answer.headers, ['X-Request-Id', crypto.randomUUID()]] }
}
