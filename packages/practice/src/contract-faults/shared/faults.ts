// A contract fault, and the requests and responses it applies to.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { Behaviour, ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import * as answerChanges from './answer-changes.ts'
import * as requestChanges from './request-changes.ts'
import { isOf, type When } from './requests.ts'

/** By the id of the promise that each breaks. Each proxy creates its own behaviour. */
export type ContractFaults = Readonly<Record<string, ContractFault>>
export type ContractFault = () => Behaviour
export type WhenResponse = (request: ClientRequest, response: ServiceResponse) => boolean

/** Returns the faults with `id` as a prefix of their ids. */
export function under(id: string, faults: ContractFaults): ContractFaults {
  return Object.fromEntries(Object.entries(faults).map(([end, fault]) => [`${id}.${end}`, fault]))
}

type Makers<Change> = Readonly<Record<string, (...given: never[]) => Change>>
/** A function that makes a fault, for each function that makes a change. */
type Changing<Of extends Makers<unknown>> = { [Name in keyof Of]: (...given: Parameters<Of[Name]>) => ContractFault }

function changing<Change, Of extends Makers<Change>>(changes: Of, by: (change: Change) => ContractFault): Changing<Of> {
  const faults = Object.entries(changes).map(([name, make]) => [name, (...given: never[]) => by(make(...given))])
  return Object.fromEntries(faults)
}

/** Makes faults for these requests, and for responses to them with this status for which `when` is true. */
export function faultsAt(operations: string, status: number | 'any' = 'any', when: WhenResponse = () => true) {
  const isMeant = (request: ClientRequest, response: ServiceResponse) =>
    isOf(request, operations) && (status === 'any' || status === response.status) && when(request, response)
  /** Replaces the matching responses. */
  const answering =
    (
      other: (...meant: [...Parameters<answerChanges.Change>, Pass]) => ServiceResponse | Promise<ServiceResponse>,
    ): ContractFault =>
    () =>
    async (request, pass) => {
      const response = await pass(request)
      return isMeant(request, response) ? other(response, request, pass) : response
    }
  const onRequest =
    (change: requestChanges.RequestChange): ContractFault =>
    () =>
    (request, pass) =>
      pass(isOf(request, operations) ? change(request) : request)
  const onResponse = (change: answerChanges.Change): ContractFault => answering(change)
  const resending = (change: requestChanges.RequestChange): ContractFault =>
    answering((_, request, pass) => pass(change(request)))
  return {
    onRequest,
    onResponse,
    answering,
    /** Changes the request. */
    request: changing(requestChanges, onRequest),
    /** Changes the response. */
    answer: changing(answerChanges, onResponse),
    /** Sends the changed request, too, and returns its response. */
    again: changing(requestChanges, resending),
    /** Returns an error. The request does not reach the service. */
    refusing:
      (whenRequest: When, code = 400, name = 'invalid_parameter'): ContractFault =>
      () =>
      async (request, pass) =>
        isOf(request, operations) && whenRequest(request) ? errorAnswer(code, name) : pass(request),
  }
}

const JSON_HEADERS: ServiceResponse['headers'] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
]

export function jsonAnswer(code: number, value: unknown): ServiceResponse {
  return { status: code, headers: JSON_HEADERS, body: Buffer.from(stringifyJson(value)) }
}

export function errorAnswer(code: number, name: string, message = 'No.'): ServiceResponse {
  const answer = jsonAnswer(code, { code: name, message, status: code })
  return { ...answer, headers: [...answer.headers, ['X-Request-Id', crypto.randomUUID()]] }
}

export const hasNext = ({ headers }: ServiceResponse) => /rel="next"/.test(headerOf(headers, 'Link') ?? '')
