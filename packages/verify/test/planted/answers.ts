// Planted faults in error bodies, HEAD, replays and read-only keys.

import * as changes from '../../../practice/src/contract-faults/shared/changes.ts'
import {
  type ContractFault,
  type ContractFaults,
  errorAnswer,
} from '../../../practice/src/contract-faults/shared/faults.ts'
import { refusingOthers } from '../../../practice/src/contract-faults/shared/memory.ts'
import * as on from '../../../practice/src/contract-faults/shared/operations.ts'
import { isOf, pathOf, withoutKey } from '../../../practice/src/contract-faults/shared/requests.ts'
import { number } from '../../../practice/src/contract-faults/shared/values.ts'
import type { ClientRequest, ServiceResponse } from '../../../practice/src/proxy.ts'
import { headerOf } from '../../src/headers.ts'

export const empty = changes.text(() => '')
export const page = changes.both(
  changes.header('Content-Type', 'text/html'),
  changes.text(() => '<h1>Error</h1>'),
)
const isUnknown = (request: ClientRequest) => !/^\/(?:pets|store)(?:\/|$)/.test(pathOf(request.target))

const ERRORS: ContractFaults = {
  'a 405 of the list without a body': { on: '* /pets', status: 405, answer: empty },
  'a 405 of a pet with status 404 in its body': {
    on: '* /pets/*',
    status: 405,
    answer: changes.put('status', number(404)),
  },
  'a 405 of orders as a web page': { on: '* /store/orders', status: 405, answer: page },
  'an unknown path as a web page': { on: '*', status: 404, when: isUnknown, answer: page },
  'an unknown path below a pet as a web page': { on: 'GET /pets/*/*', status: 404, answer: page },
  'a 401 of a pet without a message': { on: on.ONE, status: 401, answer: changes.drop('message') },
  'a 413 as a web page': { on: '*', status: 413, answer: page },
  'a 415 without a body': { on: '*', status: 415, answer: empty },
  'a 412 of a pet without a code': { on: on.ONE, status: 412, answer: changes.drop('code') },
}

const noBody = (change: changes.Change): changes.Change => changes.both(change, empty)
type When = (request: ClientRequest) => boolean
const heading = (path: string, code: number, when: When, change: changes.Change): ContractFault => ({
  on: `HEAD ${path}`,
  status: code,
  when: when,
  answer: noBody(change),
})
const always = () => true
const without = (header: string) => changes.header(header, undefined)
const plainText = changes.header('Content-Type', 'text/plain')
const isUnknownHead = (request: ClientRequest) => request.method === 'HEAD' && isUnknown(request)

const HEADS: ContractFaults = {
  'HEAD needs no key': {
    on: 'HEAD /pets|HEAD /pets/*',
    status: 401,
    when: withoutKey,
    answer: noBody(changes.status(200)),
  },
  'HEAD with a wrong limit is 200': heading('/pets', 400, always, changes.status(200)),
  'HEAD of a pet has no Deprecation': heading('/pets/*', 200, always, without('Deprecation')),
  'HEAD of events has no Link': heading('/store/events', 200, always, without('Link')),
  'HEAD of an unknown path is 200': { on: '*', status: 404, when: isUnknownHead, answer: noBody(changes.status(200)) },
  'HEAD of an order has another type': heading('/store/orders/*', 200, always, plainText),
}

const rekeying = (change: (key: string) => string | undefined): ContractFault => ({
  on: `${on.CREATE}|${on.PLACE}`,
  send: changes.header('Idempotency-Key', change),
})
const isReplay = (_: ClientRequest, { headers }: ServiceResponse) =>
  headerOf(headers, 'Idempotency-Replayed') !== undefined

/** Forgets a key before its third request. */
const twiceOnly: ContractFault = () => {
  const uses = new Map<string, number>()
  return async (request, pass) => {
    const key = headerOf(request.headers, 'Idempotency-Key') ?? ''
    const before = uses.get(key) ?? 0
    if (before > 1 && isOf(request, on.CREATE)) return pass(changes.header('Idempotency-Key', () => undefined)(request))
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
    if (lost.has(key)) return errorAnswer('idempotency_mismatch')
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
  'a replay is 200': { on: on.CREATE, status: 201, when: isReplay, answer: changes.status(200) },
  'a replay has another type': { on: `${on.CREATE}|${on.PLACE}`, status: 201, when: isReplay, answer: plainText },
  'PATCH requests with one key are one': replayedCorrections,
}

const READ_ONLY: ContractFaults = {
  'a read-only key lists no orders': refusingOthers(on.ORDERS),
  'a read-only key fetches no order': refusingOthers(on.ORDER),
}

export const ANSWERS_PLANTED: ContractFaults = { ...ERRORS, ...HEADS, ...REPEATS, ...READ_ONLY }
