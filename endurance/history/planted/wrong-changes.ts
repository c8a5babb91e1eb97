// What was answered and not done, done twice, or done late.

import { at, errorAnswer, jsonAnswer } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { isOf, withKey } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import { headerOf, withHeader } from '../../../packages/practice/src/messages.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import {
  asked,
  both,
  current,
  ending,
  everyRow,
  type Faults,
  instead,
  isDone,
  json,
  keyOf,
  remembered,
  serverOf,
  sometimes,
  withBody,
} from './fault.ts'

const LATE_MS = 80
const CREATES = `${on.CREATE}|${on.PLACE}`
const KEY = 'Idempotency-Key'

const keyless = (request: ClientRequest) => ({ ...request, headers: withHeader(request.headers, KEY, undefined) })
const later = (request: ClientRequest, pass: Pass) => setTimeout(() => pass(request).catch(() => undefined), LATE_MS)
const empty: ServiceResponse = { status: 204, headers: [], body: Buffer.alloc(0) }

/** The answer that the service would give, without asking it. */
async function pretended(request: ClientRequest, pass: Pass): Promise<ServiceResponse> {
  const before = await current(request, pass)
  if (before.status !== 200) return pass(request)
  if (request.method === 'DELETE') return empty
  const [from, to] = isOf(request, on.COMPLETE)
    ? ['pending', 'completed']
    : isOf(request, on.RETURN)
      ? ['completed', 'returned']
      : []
  const order = json(before)
  if (from && order.status !== from) return pass(request)
  return withBody(before, { ...order, ...json(request), ...(to ? { status: to } : {}) })
}

const onlyAnswered = (operations: string) => sometimes(0.5, instead(operations, pretended))

/** Answered at once, and done later. */
const late = (operations: string) =>
  sometimes(
    0.5,
    instead(operations, async (request, pass) => {
      const pretence = await pretended(request, pass)
      if (isDone(pretence)) later(request, pass)
      return pretence
    }),
  )

/** Reservations end so much later than what is asked and answered says. */
const endingLater = (ms: number) => both(asked(`${on.PLACE}|${on.CHANGE}`, ending(ms)), everyRow(ending(-ms)))

const oneTag = (n: number) => at('*').request.header('If-Match', (tags) => tags.split(', ').at(n))

export const TWICE: Faults = {
  'a key that is not kept': at('*').request.header(KEY),
  'keys forgotten too soon': at('*').request.header(
    KEY,
    (key) => `"${key.slice(1, -1)}-${Math.floor(performance.now() / 100)}"`,
  ),
  'keys forgotten by one of the servers': at('*').onRequest((request) =>
    serverOf(request) === 0 ? keyless(request) : request,
  ),
  'another request under a used key is done': instead(CREATES, async (request, pass) => {
    const response = await pass(request)
    return response.status === 422 ? pass(keyless(request)) : response
  }),
  'a create without a key is sent twice': instead(on.CREATE, async (request, pass) => {
    if (headerOf(request.headers, KEY) === undefined) await pass(request)
    return pass(request)
  }),
  'a 503 that was done twice': sometimes(
    0.1,
    instead(on.CREATE, async (request, pass) => {
      for (let n = 0; n < 2; n++) await pass(keyless(request))
      return errorAnswer(503, 'unavailable')
    }),
  ),
  'a correction that is done again later': instead(on.UPDATE, async (request, pass) => {
    later(request, pass)
    return pass(request)
  }),
  'an order that comes back by itself': sometimes(
    0.3,
    instead(on.COMPLETE, async (request, pass) => {
      const response = await pass(request)
      if (response.status === 200) later({ ...request, target: request.target.replace('complete', 'return') }, pass)
      return response
    }),
  ),
  'one request under an Idempotency-Key, whatever the API key': remembered(CREATES, () => {
    const owners = new Map<string, string>()
    return async (request, pass) => {
      const key = headerOf(request.headers, KEY)
      const mayWrite = [...owners.values()].includes(keyOf(request))
      const name = `${key} ${request.body}`
      const owner = (mayWrite && owners.get(name)) || keyOf(request)
      const response = await pass(withKey(request, owner))
      if (key && response.status === 201) owners.set(name, owner)
      return response
    }
  }),
  'of two tags in If-Match the first': oneTag(0),
  'of two tags in If-Match the last': oneTag(-1),
  'If-Match is ignored': at('*').request.header('If-Match'),
}

export const NOT_DONE: Faults = {
  'a cancel that is only answered': onlyAnswered(on.CANCEL),
  'a completion that is only answered': onlyAnswered(on.COMPLETE),
  'a return that is only answered': onlyAnswered(on.RETURN),
  'a deletion that is only answered': onlyAnswered(on.DELETE),
  'a rename that is only answered': onlyAnswered(on.UPDATE),
  'a change of an order that is only answered': onlyAnswered(on.CHANGE),
  'a create that is only answered': sometimes(
    0.2,
    remembered(on.CREATE, () => {
      let id = 1_000_000
      return async (request) => jsonAnswer(201, { id: id++, status: 'available', ...json(request) })
    }),
  ),
  'a rename that is undone': sometimes(
    0.5,
    instead(on.UPDATE, async (request, pass) => {
      const before = await current(request, pass)
      const response = await pass(request)
      if (response.status === 200 && before.status === 200) await pass(withBody(request, { name: json(before).name }))
      return response
    }),
  ),
}

export const LATE: Faults = {
  'a cancel that is done later': late(on.CANCEL),
  'a deletion that is done later': late(on.DELETE),
  'a correction that is done later': late(on.UPDATE),
  'a completion that is done later': late(on.COMPLETE),
  'a change of an order that is done later': late(on.CHANGE),
  'reservations that end two seconds late': endingLater(2_000),
  'reservations that never end': endingLater(3_600_000),
  'completed and changed after its end': endingLater(300),
}
