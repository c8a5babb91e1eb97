// Level `pets`: what this project promises about errors, beyond the interface document.

import { type Answer, number } from '../answer.ts'
import { absentId } from '../fixtures.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { codesOf } from './answers.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, contract, documented, header, reading, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('pets')
const NO_KEY: RequestOptions = { key: 'none' }

/** Checks every error that any check received, and a few errors that every server returns. */
const everyError =
  (expect: (answer: Answer) => void): Check =>
  async (probe) => {
    await probe.shared('a few errors', async (own) => {
      for (const [line, options] of [
        ['GET /pets', NO_KEY],
        [`GET /pets/${absentId()}`, {}],
        ['GET /pets?limit=0', {}],
        ['GET /petstore-verify', {}],
      ] as const)
        await own.ask(line, options)
    })
    // A check has already reported the faulted ones.
    const errors = probe.seen.filter(
      ({ status, request, faulted }) => status >= 400 && request.method !== 'HEAD' && !faulted,
    )
    for (const answer of errors) expect(answer)
  }

const LAST = { premises: ['errors.401.content-type', 'errors.404.content-type'], alone: 'reads' } as const

export const errorPromises: readonly PromiseRow[] = [
  row('errors.members', 'Every error has exactly code, message and status, and status is the HTTP status.')
    .from([contract('components', 'schemas', 'Error'), schema('Error', 'status')], {
      ...LAST,
      premises: [...LAST.premises, 'errors.401.status', 'errors.404.status'],
    })
    .check(
      everyError((answer) => {
        const names = [...answer.object().keys()].sort().join(', ')
        answer.expect(names === 'code, message, status', 'code, message, status', names)
        answer.expectMember('status', number(answer.status))
      }),
    ),
  row('errors.headers', 'Every error is exactly application/json and has X-Request-Id. A 401 has WWW-Authenticate.')
    .from([documented('Errors', 'Body'), header('RequestId'), header('WWW-Authenticate')], LAST)
    .check(
      everyError((answer) => {
        answer.expectHeader('Content-Type', 'application/json').expectHeader('X-Request-Id', /./)
        if (answer.status === 401) answer.expectHeader('WWW-Authenticate', /^Bearer realm="petstore"/)
      }),
    ),
  row('errors.codes', 'Every error has a code that the contract lists for its response.')
    .from(schema('Error', 'code'), { ...LAST, premises: [...LAST.premises, 'errors.401.code', 'errors.404.code'] })
    .check(
      everyError((answer) => {
        const codes = codesOf(answer)
        const code = answer.object().get('code')
        if (codes && !codes.includes(String(code))) throw answer.broken(`code: ${codes.join(' or ')}`, `code: ${code}`)
      }),
    ),
  row('errors.retry-after', 'Every 429 and every 503 has Retry-After, in seconds.')
    .from(header('RetryAfter'), { alone: 'reads' })
    .check(async (probe) => {
      const refused = probe.seen.filter(({ status }) => status === 429 || status === 503)
      if (refused.length === 0) throw new Unjudged('There was no such response.')
      for (const answer of refused) answer.expectHeader('Retry-After', /^[1-9][0-9]*$/)
    }),
  row('errors.rate-limit', 'RateLimit and RateLimit-Policy, if sent, give the limit, the rest and the reset time.')
    .from([header('RateLimit'), header('RateLimitPolicy')], { alone: 'reads' })
    .check(async (probe) => {
      const limited = probe.seen.filter((answer) => answer.header('RateLimit') !== undefined)
      if (limited.length === 0) throw new Unjudged('There was no such response.')
      for (const answer of limited) {
        answer
          .expectHeader('RateLimit', /^"[\w-]+";r=\d+;t=\d+$/)
          .expectHeader('RateLimit-Policy', /^"[\w-]+";q=\d+;w=\d+$/)
      }
    }),
  row('errors.not-found.code', 'GET /pets/{petId}: The code for a pet that does not exist is not_found.')
    .from(contract('components', 'responses', 'NotFound'), reading('errors.404.code'))
    .check(async (probe) => (await probe.get(`/pets/${absentId()}`)).expectError(404, 'not_found')),
  row('errors.unknown-path', 'GET /petstore-verify, GET /pets/1/petstore-verify: Unknown paths return 404 not_found.')
    .from(documented('Errors', 'Other methods and paths'))
    .check(async (probe) => {
      for (const path of ['/petstore-verify', '/pets/1/petstore-verify']) {
        ;(await probe.ask(`GET ${path}`, { mayRedirect: true })).expectError(404, 'not_found')
      }
    }),
  row('errors.message.parameters', 'GET /pets: The message names every invalid parameter.')
    .from(
      contract('components', 'schemas', 'Error', 'properties', 'message'),
      reading('pets.list.limit.wrong', 'pets.list.status.wrong'),
    )
    .check(naming((probe) => probe.get('/pets?limit=0&status=gone'), 'limit', 'status')),
  row('errors.message.fields', 'POST /pets: The message names every invalid field.')
    .from(contract('components', 'schemas', 'Error', 'properties', 'message'), writing('pets.create.refused.code'))
    .check(naming((probe) => probe.post('/pets', '{"status":1}'), 'name', 'categoryId', 'status')),
]

/** Expects a 400 whose message contains each name. */
export function naming(ask: (probe: Probe) => Promise<Answer>, ...names: string[]): Check {
  return async (probe) => {
    ;(await ask(probe)).expectStatus(400).expectNamed(...names)
  }
}
