// Planted faults in error bodies, HEAD, replays and read-only keys.

import * as answers from '../../../practice/src/contract-faults/shared/answer-changes.ts'
import {
  type ContractFault,
  type ContractFaults,
  errorAnswer,
  faultsAt,
} from '../../../practice/src/contract-faults/shared/faults.ts'
import { refusingOthers } from '../../../practice/src/contract-faults/shared/memory.ts'
import * as on from '../../../practice/src/contract-faults/shared/operations.ts'
import * as requests from '../../../practice/src/contract-faults/shared/request-changes.ts'
import { isOf, pathOf, withoutKey } from '../../../practice/src/contract-faults/shared/requests.ts'
import { number } from '../../../practice/src/contract-faults/shared/values.ts'
import { headerOf } from '../../../practice/src/messages.ts'
import type { ClientRequest, ServiceResponse } from '../../../practice/src/proxy.ts'

export const empty = answers.text(() => '')
export const page = answers.both(
  answers.header('Content-Type', 'text/html'),
  answers.text(() => '<h1>Error</h1>'),
)
const isUnknown = (request: ClientRequest) => !/^\/(?:pets|store)(?:\/|$)/.test(pathOf(request.target))

const ERRORS: ContractFaults = {
  'a 405 of the list without a body': faultsAt('* /pets', 405).onResponse(empty),
  'a 405 of a pet with status 404 in its body': faultsAt('* /pets/*', 405).answer.put('status', number(404)),
  'a 405 of orders as a web page': faultsAt('* /store/orders', 405).onResponse(page),
  'an unknown path as a web page': faultsAt('*', 404, isUnknown).onResponse(page),
  'an unknown path below a pet as a web page': faultsAt('GET /pets/*/*', 404).onResponse(page),
  'a 401 of a pet without a message': faultsAt(on.ONE, 401).answer.drop('message'),
  'a 413 as a web page': faultsAt('*', 413).onResponse(page),
  'a 415 without a body': faultsAt('*', 415).onResponse(empty),
  'a 412 of a pet without a code': faultsAt(on.ONE, 412).answer.drop('code'),
}

const noBody = (change: answers.Change): answers.Change => answers.both(change, empty)
type When = (request: ClientRequest) => boolean
const heading = (path: string, code: number | 'any', when: When, change: answers.Change): ContractFault =>
  faultsAt(`HEAD ${path}`, code, when).onResponse(noBody(change))
const always = () => true
const without = (header: string) => answers.header(header, undefined)
const plainText = answers.header('Content-Type', 'text/plain')
const isUnknownHead = (request: ClientRequest) => request.method === 'HEAD' && isUnknown(request)

const HEADS: ContractFaults = {
  'HEAD needs no key': faultsAt('HEAD /pets|HEAD /pets/*', 401, withoutKey).onResponse(noBody(answers.status(200))),
  'HEAD with a wrong limit is 200': heading('/pets', 400, always, answers.status(200)),
  'HEAD of a pet has no Deprecation': heading('/pets/*', 200, always, without('Deprecation')),
  'HEAD of events has no Link': heading('/store/events', 200, always, without('Link')),
  'HEAD of an unknown path is 200': faultsAt('*', 404, isUnknownHead).onResponse(noBody(answers.status(200))),
  'HEAD of an order has another type': heading('/store/orders/*', 200, always, plainText),
}

const rekeying = (change: (key: string) => string | undefined): ContractFault =>
  faultsAt(`${on.CREATE}|${on.PLACE}`).request.header('Idempotency-Key', change)
const isReplay = (_: ClientRequest, { headers }: ServiceResponse) =>
  headerOf(headers, 'Idempotency-Replayed') !== undefined

/** Forgets a key before its third request. */
const twiceOnly: ContractFault = () => {
  const uses = new Map<string, number>()
  return async (request, pass) => {
    const key = headerOf(request.headers, 'Idempotency-Key') ?? ''
    const before = uses.get(key) ?? 0
    if (before > 1 && isOf(request, on.CREATE))
      return pass(requests.header('Idempotency-Key', () => undefined)(request))
    const response = await pass(request)
    if (isOf(request, on.CREATE) && response.status === 201) uses.set(key, before + 1)
    return response
  }
}

/** Loses the first response after a mismatch. */
const lostByMismatch: ContractFault = () => {
  const lost = new Set<string>()
  return async (request, pass) => {
    const key = headerOf(request.headers, 'Idempotency-Key') ?? ''
    if (lost.has(key)) return errorAnswer(422, 'idempotency_mismatch')
    const response = await pass(request)
    if (response.status === 422) lost.add(key)
    return response
  }
}

/** Replays the first PATCH with an Idempotency-Key. */
const replayedCorrections: ContractFault = () => {
  const first = new Map<string, ServiceResponse>()
  return async (request, pass) => {
    const key = headerOf(request.headers, 'Idempotency-Key')
    if (!isOf(request, on.UPDATE) || key === undefined) return pass(request)
    const known = first.get(key)
    if (known) return known
    const response = await pass(request)
    first.set(key, response)
    return response
  }
}

const REPEATS: ContractFaults = {
  'the third request under a key adds a pet': twiceOnly,
  'keys that differ in case are one': rekeying((key) => key.toLowerCase()),
  'only 64 characters of a key count': rekeying((key) => key.replace(/^("\S{64})\S{1,191}"$/, '$1"')),
  'a mismatch loses the first response': lostByMismatch,
  'a replay is 200': faultsAt(on.CREATE, 201, isReplay).answer.status(200),
  'a replay has another type': faultsAt(`${on.CREATE}|${on.PLACE}`, 201, isReplay).onResponse(plainText),
  'PATCH requests with one key are one': replayedCorrections,
}

const READ_ONLY: ContractFaults = {
  'a read-only key lists no orders': refusingOthers(on.ORDERS),
  'a read-only key fetches no order': refusingOthers(on.ORDER),
}

export const ANSWERS_PLANTED: ContractFaults = { ...ERRORS, ...HEADS, ...REPEATS, ...READ_ONLY }
