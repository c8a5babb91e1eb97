// Faults of every create: the body, its free text and its Idempotency-Key.

import { BODY_BYTES_MAX, NESTING_MAX } from '../../../contract/src/limits.ts'
import { headerOf } from '../../../verify/src/headers.ts'
import type { ClientRequest } from '../proxy.ts'
import * as change from './shared/changes.ts'
import * as faults from './shared/faults.ts'
import { afterFirst, type Later, soldAgain, whileRunning } from './shared/memory.ts'
import { CREATE, PLACE } from './shared/operations.ts'
import { authorizationOf, isOf, type When } from './shared/requests.ts'
import { depthOf, is, isJson, number, objectOf, textOf } from './shared/values.ts'

const KEY = 'Idempotency-Key'
const keyOf = ({ headers }: ClientRequest) => headerOf(headers, KEY)
const typeOf = ({ headers }: ClientRequest) => headerOf(headers, 'Content-Type') ?? ''
const isBroken: When = ({ body }) => body.length > 0 && !isJson(body)
const newPet = () => faults.jsonAnswer(201, { id: 7_000_000, name: 'Rex', categoryId: number(7), status: 'available' })

export function ofCreate(on: string): faults.ContractFaults {
  const isOrder = on === PLACE
  const [invalid, field, answer] = isOrder ? ['invalid_order', 'reference', soldAgain] : ['invalid_pet', 'name', newPet]
  return {
    ...faults.answering(on, 400, { 'refused.code': change.replace('code', is(invalid), 'malformed_json') }),
    ...faults.answering(on, 413, { 'size.too-large': answer }),
    ...faults.answering(on, 415, { 'content-encoding': change.header('Accept-Encoding') }),
    ...faults.sending(on, { [`${field}.exact`]: change.rewriteText(field, (text) => text.trim()) }),
    ...faults.refusing(on, 'malformed_json', { 'json.nesting': ({ body }) => depthOf(`${body}`) === NESTING_MAX }),
    ...faults.refusing(on, 'body_too_large', { size: ({ body }) => body.length === BODY_BYTES_MAX }),
    ...faults.refusing(on, 'unsupported_media_type', {
      'media-type': (request) => /^Application|;;/.test(typeOf(request)),
    }),
    'json.broken': { on, status: 400, when: isBroken, answer: change.put('code', invalid) },
    'json.equal-names': { on, status: 400, when: ({ body }) => body.includes('\\u0078'), answer },
    'json.nesting.too-deep': { on, status: 400, when: ({ body }) => depthOf(`${body}`) > NESTING_MAX, answer },
    'media-type.other': { on, status: 415, when: (request) => typeOf(request) === 'text/plain', answer },
    ...faults.under('idempotency', ofRepeats(on)),
  }
}

const mismatch = () => faults.errorAnswer('idempotency_mismatch')

function ofRepeats(on: string): faults.ContractFaults {
  /** `later` can return a response to a request whose Idempotency-Key was used before. */
  const used = (later: Later) => afterFirst(on, keyOf, later)
  const running = (request: ClientRequest) => (isOf(request, on) ? keyOf(request) : undefined)
  return {
    ...faults.sending(on, {
      replay: change.header(KEY),
      quotes: change.header(KEY, (key) => key.replace(/^"(.{1,250})"$/, '"$1-quoted"')),
      distinct: change.header(KEY, (key) => key.toLowerCase()),
    }),
    invalid: { on, status: 400, again: change.header(KEY) },
    meaning: used(({ body }, { request }) => (body.equals(request.body) ? undefined : mismatch())),
    mismatch: used(({ body }, { request, response }) => (body.equals(request.body) ? undefined : response)),
    refused: used((_, { response }) => (response.status >= 400 ? response : undefined)),
    // Carries out both of two simultaneous requests.
    together: whileRunning(running, (request, pass) => pass(change.header(KEY)(request))),
    'other-key': used((request, { request: first, response }) =>
      authorizationOf(request) === authorizationOf(first) ? undefined : response,
    ),
  }
}

/** A replay shows the current state of the created pet or order. */
const replayingNow = (on: string): faults.Fault => ({
  on,
  when: (_, { headers }) => headerOf(headers, 'Idempotency-Replayed') !== undefined,
  answer: async (response, request, pass) => {
    const target = `${request.target}/${textOf(objectOf(response).get('id'))}`
    const { body } = await pass({ ...request, method: 'GET', target, body: Buffer.alloc(0) })
    return { ...response, body }
  },
})
const hasAbsentPet: When = ({ body }) => /"petId":\d{16}/.test(`${body}`)
const petNotFound = () => faults.errorAnswer('pet_not_found')
const afterInstant = (request: ClientRequest) => (request.body.includes('+02:00') ? mismatch() : undefined)

export const REPEAT_FAULTS: faults.ContractFaults = {
  'pets.create.idempotency.ordered': replayingNow(CREATE),
  'pets.update.replay': replayingNow(CREATE),
  'pets.delete.replay': replayingNow(CREATE),
  'orders.expiry.replay': replayingNow(PLACE),
  'orders.place.idempotency.later': replayingNow(PLACE),
  'orders.place.idempotency.instant': afterFirst(PLACE, keyOf, afterInstant),
  'orders.place.idempotency.before-state': { on: PLACE, status: 422, when: hasAbsentPet, answer: petNotFound },
  ...faults.sending(PLACE, {
    'orders.place.idempotency.one-name-space': change.header(KEY, (key) => `${key.replaceAll('"', '')}-order`),
  }),
}
