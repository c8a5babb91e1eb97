// Faults in the handling of Idempotency-Key, for pets and orders.

import { headerOf, withHeader } from '../messages.ts'
import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import {
  type ContractFault,
  type ContractFaults,
  errorAnswer,
  faultsAt,
  under,
  type WhenResponse,
} from './shared/faults.ts'
import { CREATE, PLACE } from './shared/operations.ts'
import { isOf } from './shared/requests.ts'
import { objectOf, textOf } from './shared/values.ts'

const KEY = 'Idempotency-Key'
const MISMATCH = errorAnswer(422, 'idempotency_mismatch')

interface Exchange {
  request: ClientRequest
  response: ServiceResponse
}

/** `answer` can return a response to a request whose Idempotency-Key was used before. */
function remembering(
  operation: string,
  answer: (request: ClientRequest, first: Exchange) => ServiceResponse | undefined,
): ContractFault {
  return () => {
    const exchanges = new Map<string, Exchange>()
    return async (request, pass) => {
      const value = isOf(request, operation) ? headerOf(request.headers, KEY) : undefined
      const first = value === undefined ? undefined : exchanges.get(value)
      const response = (first && answer(request, first)) ?? (await pass(request))
      if (value !== undefined && !first) exchanges.set(value, { request, response })
      return response
    }
  }
}

/** Carries out both of two simultaneous requests with one Idempotency-Key. */
function withoutKeyWhileRunning(operation: string): ContractFault {
  return () => {
    const running = new Set<string>()
    return async (request, pass) => {
      const key = isOf(request, operation) ? headerOf(request.headers, KEY) : undefined
      if (key === undefined) return pass(request)
      if (running.has(key)) return pass({ ...request, headers: withHeader(request.headers, KEY, undefined) })
      running.add(key)
      try {
        return await pass(request)
      } finally {
        running.delete(key)
      }
    }
  }
}

/** A replay shows the current state of the created pet or order. */
function replayingNow(operation: string): ContractFault {
  return faultsAt(operation, 'any', isReplay).answering(async (response, request, pass) => {
    const target = `${request.target}/${textOf(objectOf(response).get('id'))}`
    const { body } = await pass({ ...request, method: 'GET', target, body: Buffer.alloc(0) })
    return { ...response, body }
  })
}
const isReplay: WhenResponse = (_, { headers }) => headerOf(headers, 'Idempotency-Replayed') !== undefined

const isSameBody = (request: ClientRequest, first: Exchange) => request.body.equals(first.request.body)
const isSameKey = (request: ClientRequest, first: Exchange) =>
  headerOf(request.headers, 'Authorization') === headerOf(first.request.headers, 'Authorization')

function ofRepeats(operation: string): ContractFaults {
  const { header } = faultsAt(operation).request
  return {
    replay: header(KEY),
    'replayed-header': faultsAt(operation, 201).answer.header('Idempotency-Replayed'),
    quotes: header(KEY, (key) => key.replace(/^"(.{1,250})"$/, '"$1-quoted"')),
    meaning: remembering(operation, (request, first) => (isSameBody(request, first) ? undefined : MISMATCH)),
    distinct: header(KEY, (key) => key.toLowerCase()),
    mismatch: remembering(operation, (request, first) => (isSameBody(request, first) ? undefined : first.response)),
    refused: remembering(operation, (_, { response }) => (response.status >= 400 ? response : undefined)),
    invalid: faultsAt(operation, 400).again.header(KEY),
    together: withoutKeyWhileRunning(operation),
    'other-key': remembering(operation, (request, first) => (isSameKey(request, first) ? undefined : first.response)),
  }
}

const OF_ORDERS: ContractFaults = {
  instant: remembering(PLACE, ({ body }) => (body.includes('+02:00') ? MISMATCH : undefined)),
  later: replayingNow(PLACE),
  'before-state': faultsAt(PLACE, 422, ({ body }) => /"petId":\d{16}/.test(body.toString())).onResponse(() =>
    errorAnswer(404, 'pet_not_found'),
  ),
  'one-name-space': faultsAt(PLACE).request.header(KEY, (key) => `${key.replaceAll('"', '')}-order`),
}

export const IDEMPOTENCY_FAULTS: ContractFaults = {
  ...under('pets.create.idempotency', { ...ofRepeats(CREATE), ordered: replayingNow(CREATE) }),
  ...under('orders.place.idempotency', { ...ofRepeats(PLACE), ...OF_ORDERS }),
  'pets.update.replay': replayingNow(CREATE),
  'pets.delete.replay': replayingNow(CREATE),
  'orders.expiry.replay': replayingNow(PLACE),
}
