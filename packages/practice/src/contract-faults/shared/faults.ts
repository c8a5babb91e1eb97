// What a contract fault is, and which requests or answers it is about.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { Behaviour, ClientRequest, Pass, ServiceResponse } from '../../proxy.ts'
import * as answerChanges from './answer-changes.ts'
import * as requestChanges from './request-changes.ts'
import { isOf, type When } from './requests.ts'

/** By the id of the promise that each breaks. Each proxy has a behaviour of its own. */
export type ContractFaults = Readonly<Record<string, ContractFault>>
export type ContractFault = () => Behaviour
export type WhenResponse = (request: ClientRequest, response: ServiceResponse) => boolean

/** The same faults under ids that begin in this way. */
export function under(id: string, faults: ContractFaults): ContractFaults {
  return Object.fromEntries(Object.entries(faults).map(([end, fault]) => [`${id}.${end}`, fault]))
}

type Makers<Change> = Readonly<Record<string, (...given: never[]) => Change>>
/** A fault for each change. */
type Changing<Of extends Makers<unknown>> = { [Name in keyof Of]: (...given: Parameters<Of[Name]>) => ContractFault }

function changing<Change, Of extends Makers<Change>>(changes: Of, by: (change: Change) => ContractFault): Changing<Of> {
  const faults = Object.entries(changes).map(([name, make]) => [name, (...given: never[]) => by(make(...given))])
  return Object.fromEntries(faults)
}

/** The requests that a fault is about, and of their answers those with this status and of which `when` is true. */
export function at(operations: string, status: number | 'any' = 'any', when: WhenResponse = () => true) {
  const isMeant = (request: ClientRequest, response: ServiceResponse) =>
    isOf(request, operations) && (status === 'any' || status === response.status) && when(request, response)
  /** Where an answer is meant, another one in its place. */
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
    /** Changes the answer. */
    answer: changing(answerChanges, onResponse),
    /** Asks again in another way, and gives that answer. */
    again: changing(requestChanges, resending),
    /** Answers with an error; the service does not hear of the request. */
    refusing:
      (whenRequest: When, code = 400, name = 'invalid_parameter'): ContractFault =>
      () =>
      async (request, pass) =>
        isOf(request, operations) && whenRequest(request) ? errorAnswer(code, name) : pass(request),
  }
}

export function jsonAnswer(code: number, value: unknown): ServiceResponse {
  return { status: code, headers: [['Content-Type', 'application/json']], body: Buffer.from(stringifyJson(value)) }
}

export function errorAnswer(code: number, name: string, message = 'No.'): ServiceResponse {
  const answer = jsonAnswer(code, { code: name, message, status: code })
  return { ...answer, headers: [...answer.headers, ['X-Request-Id', crypto.randomUUID()]] }
}

export const hasNext = ({ headers }: ServiceResponse) => /rel="next"/.test(headerOf(headers, 'Link') ?? '')
