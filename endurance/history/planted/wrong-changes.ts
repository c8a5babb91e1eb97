// Planted faults of changes: acknowledged but not made, made twice or made late; and wrong or missing refusals.

import type { ErrorCode } from '../../../packages/contract/src/generated.ts'
import * as changes from '../../../packages/practice/src/contract-faults/shared/changes.ts'
import { errorAnswer, jsonAnswer } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import {
  hasCursor,
  hasHeader,
  isOf,
  type When,
  withKey,
} from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import { headerOf, withHeader } from '../../../packages/verify/src/messages.ts'
import {
  asked,
  both,
  current,
  ending,
  everyRow,
  type Faults,
  idOf,
  instead,
  isDone,
  isRead,
  json,
  keyOf,
  serverOf,
  sometimes,
  withBody,
  withLastKey,
} from './fault.ts'

const LATE_MS = 80
const CREATES = `${on.CREATE}|${on.PLACE}`
const KEY = 'Idempotency-Key'

const keyless = (request: ClientRequest) => ({ ...request, headers: withHeader(request.headers, KEY, undefined) })
const later = (request: ClientRequest, pass: Pass) => setTimeout(() => pass(request).catch(() => undefined), LATE_MS)

/** Builds the response that the service would give, without the change. */
async function pretended(request: ClientRequest, pass: Pass): Promise<ServiceResponse> {
  const before = await current(request, pass)
  if (before.status !== 200) return pass(request)
  if (request.method === 'DELETE') return { status: 204, headers: [], body: Buffer.alloc(0) }
  const order = json(before)
  const moves = { [on.COMPLETE]: ['pending', 'completed'], [on.RETURN]: ['completed', 'returned'] }
  const [, [from, status] = []] = Object.entries(moves).find(([move]) => isOf(request, move)) ?? []
  if (from && order.status !== from) return pass(request)
  return withBody(before, { ...order, ...json(request), ...(status && { status }) })
}

const onlyAnswered = (operations: string) => sometimes(0.5)(instead(operations, pretended))

/** Responds immediately, and makes the change later. */
const late = (operations: string) =>
  sometimes(0.5)(
    instead(operations, async (request, pass) => {
      const pretence = await pretended(request, pass)
      if (isDone(pretence)) later(request, pass)
      return pretence
    }),
  )

/** Moves the stored ends of reservations by `ms`, but not the ends in requests and responses. */
const endingLater = (ms: number) => both(asked(`${on.PLACE}|${on.CHANGE}`, ending(ms)), everyRow(ending(-ms)))

const oneTag = (n: number) => ({ on: '*', send: changes.header('If-Match', (tags) => tags.split(', ').at(n)) })

export const TWICE: Faults = {
  'a key that is not kept': { on: '*', send: changes.header(KEY) },
  'keys forgotten too soon': {
    on: '*',
    send: changes.header(KEY, (key) => `"${key.slice(1, -1)}-${Math.floor(performance.now() / 100)}"`),
  },
  'keys forgotten by one of the servers': { on: '*', send: (one) => (serverOf(one) === 0 ? keyless(one) : one) },
  'another request under a used key is done': { on: CREATES, status: 422, again: changes.header(KEY) },
  'a create without a key is sent twice': instead(on.CREATE, async (request, pass) => {
    if (headerOf(request.headers, KEY) === undefined) await pass(request)
    return pass(request)
  }),
  'a 503 that was done twice': sometimes(0.1)(
    instead(on.CREATE, async (request, pass) => {
      for (let n = 0; n < 2; n++) await pass(keyless(request))
      return errorAnswer('unavailable')
    }),
  ),
  'a correction that is done again later': instead(on.UPDATE, async (request, pass) => {
    later(request, pass)
    return pass(request)
  }),
  'an order that comes back by itself': sometimes(0.3)({
    on: on.COMPLETE,
    status: 200,
    answer: (response, request, pass) => {
      later({ ...request, target: request.target.replace('complete', 'return') }, pass)
      return response
    },
  }),
  'one request under an Idempotency-Key, whatever the API key': () => {
    const owners = new Map<string, string>()
    return instead(CREATES, async (request, pass) => {
      const key = headerOf(request.headers, KEY)
      const mayWrite = [...owners.values()].includes(keyOf(request))
      const name = `${key} ${request.body}`
      const owner = (mayWrite && owners.get(name)) || keyOf(request)
      const response = await pass(withKey(request, owner))
      if (key && response.status === 201) owners.set(name, owner)
      return response
    })()
  },
  'of two tags in If-Match the first': oneTag(0),
  'of two tags in If-Match the last': oneTag(-1),
  'If-Match is ignored': { on: '*', send: changes.header('If-Match') },
}

/** The next id of pets that do not exist. */
let id = 1_000_000

export const NOT_DONE: Faults = {
  'a cancel that is only answered': onlyAnswered(on.CANCEL),
  'a completion that is only answered': onlyAnswered(on.COMPLETE),
  'a return that is only answered': onlyAnswered(on.RETURN),
  'a deletion that is only answered': onlyAnswered(on.DELETE),
  'a rename that is only answered': onlyAnswered(on.UPDATE),
  'a change of an order that is only answered': onlyAnswered(on.CHANGE),
  'a create that is only answered': sometimes(0.2)(
    instead(on.CREATE, (request) => jsonAnswer(201, { id: id++, status: 'available', ...json(request) })),
  ),
  'a rename that is undone': sometimes(0.5)(
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

/** Refuses some requests without asking the service. `#` in the message is the id in the request. */
const refused = (operations: string, code: ErrorCode, message = 'No.', when: When = () => true) =>
  sometimes(0.15)(
    instead(operations, (request, pass) => {
      const id = () => `${idOf(request) || json(request).petId}`
      return when(request) ? errorAnswer(code, message.replace('#', id)) : pass(request)
    }),
  )
/** Makes the change, but refuses it. */
const doneAndRefused = (operations: string, code: ErrorCode) =>
  sometimes(0.4)({
    on: operations,
    when: (_, response) => isDone(response),
    answer: () => errorAnswer(code),
  })

const hasKey = hasHeader('Idempotency-Key', /./)
const another = ({ message, ...error }: { message: string }) => {
  return { ...error, message: message.replace(/order (\d+)/, (_, id: string) => `order ${Number(id) + 1}`) }
}

export const REFUSED: Faults = {
  'a pending order that cannot be completed': refused(on.COMPLETE, 'order_not_pending', 'Order # is pending.'),
  'a good end that is refused': refused(
    `${on.PLACE}|${on.CHANGE}`,
    'invalid_order',
    'expiresAt must be in the future.',
    (request) => json(request).expiresAt === undefined,
  ),
  'in flight, with nothing in flight': refused(`${on.CREATE}|${on.PLACE}`, 'idempotency_in_flight', undefined, hasKey),
  'the same request is another one': refused(on.CREATE, 'idempotency_mismatch', undefined, hasKey),
  'a pet that nothing holds is held': refused(on.UPDATE, 'pet_held', 'Pet # is pending: order 1 holds it.'),
  'another order that holds the pet is named': {
    on: on.PLACE,
    status: 409,
    answer: (response) => withBody(response, another(json(response))),
  },
  'a pet that is there is not found': refused(`${on.ONE}|${on.UPDATE}`, 'not_found'),
  'a pet that is there cannot be ordered': refused(on.PLACE, 'pet_not_found'),
  'an available pet is pending': refused(on.PLACE, 'pet_not_available', 'Pet # is pending.'),
  'a pet without orders cannot be deleted': refused(on.DELETE, 'pet_has_orders'),
  'a completed order cannot be returned': refused(on.RETURN, 'order_not_completed'),
  'the current tag is not current': refused(
    `${on.UPDATE}|${on.CHANGE}`,
    'precondition_failed',
    undefined,
    hasHeader('If-Match', /./),
  ),
  'a good key is refused': refused(on.LIST, 'invalid_api_key', undefined, (request) => serverOf(request) === 1),
  'a good key may not write': refused(on.CREATE, 'read_only_key'),
  'a place in the feed that has expired': refused(on.EVENTS, 'cursor_expired', undefined, hasCursor),
  'an order that is completed and refused': doneAndRefused(on.COMPLETE, 'order_not_pending'),
  'a deletion that is done and refused': doneAndRefused(on.DELETE, 'not_found'),
  'a rename that is done and refused': doneAndRefused(on.UPDATE, 'precondition_failed'),
  'a key that may only read and writes': withLastKey(403, (request) => !isRead(request)),
}
