// Level `interface`: what the interface document says about keys and errors.

import { operations } from '../../../contract/src/contract.ts'
import type { Answer } from '../answer.ts'
import { BEGINNING, ENDING, inOtherLetters, KEY_SHOWN_MIN } from '../curl.ts'
import { petBody, somePetId } from '../fixtures.ts'
import { JSON_TYPE, type Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { WITHOUT_KEY } from './shared/key-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, rowsOf } from './shared/rows.ts'

const row = rowsOf('interface')

/** application/json, whose only valid charset is UTF-8 (RFC 8259, 8.1). */
export const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*|;(?!\s*charset\b)[^;]*)*$/i
const sunset = operations.find(({ id }) => id === 'getPet')?.deprecation?.sunset ?? Number.POSITIVE_INFINITY

/** Throws Unjudged after the date on which the operation is removed. */
export function whileGetPetExists(): void {
  if (Date.now() >= sunset) throw new Unjudged('The operation was due for removal on 5 December 2030.')
}

/** Rows for the members of an error. */
export function errorRows(status: number, first: string, ask: (probe: Probe) => Promise<Answer[]>) {
  const all =
    (expect: (answer: Answer) => void): Check =>
    async (probe) => {
      const answers = await probe.shared(`errors ${status}`, ask)
      const errors = answers.filter((answer) => answer.status === status)
      if (errors.length === 0) throw new Unjudged(`The server returned no ${status}.`)
      for (const answer of errors) expect(answer)
    }
  const needs: Pick<PromiseRow, 'needs'> = status === 400 ? { needs: ['write'] } : {}
  const id = `errors.${status}`
  /** A fault in every error is only reported for 401. */
  const member = (name: string) => ({
    ...needs,
    after: [`${id}.content-type`, ...(status === 401 ? [] : [`errors.401.${name}`])],
  })
  return [
    row(`${id}.content-type`, `A ${status} has a body of type application/json.`)
      .from(documented('Errors', 'Other statuses'), { ...needs, after: [first] })
      .check(all((answer) => answer.expectHeader('Content-Type', JSON_MEDIA_TYPE))),
    row(`${id}.code`, `The body of a ${status} has a code, a string.`)
      .from(documented('Errors', '`code`'), member('code'))
      .check(all((answer) => answer.expectString('code'))),
    row(`${id}.message`, `The body of a ${status} has a message, a string.`)
      .from(documented('Errors', '`message`'), member('message'))
      .check(all((answer) => answer.expectString('message'))),
    row(`${id}.status`, `In the body of a ${status}, status is ${status}.`)
      .from(documented('Errors', 'Body'), member('status'))
      .check(
        all((answer) => {
          const status = answer.expectInt64('status')
          answer.expect(status === BigInt(answer.status), `status: ${answer.status}`, `status: ${status}`)
        }),
      ),
  ]
}

/** Returns keys that differ slightly from this one, in ways that a shell can write: `${KEY%?}A`. */
function similarTo(key: string): string[] {
  if (key.length < KEY_SHOWN_MIN) throw new Unjudged('The API key is too short to derive similar keys from it.')
  const other = (count: number) => key.slice(0, -count) + (/a/i.test(key.slice(-count)) ? 'z' : 'A').repeat(count)
  const almost = [`${key}A`, key.slice(0, -1), other(1), other(ENDING), '']
  // A key with letters of one case can be hexadecimal, where case does not matter.
  const random = key.slice(BEGINNING)
  return /[a-z]/.test(random) && /[A-Z]/.test(random) ? [...almost, inOtherLetters(key)] : almost
}

const refusesSimilar = (line: (probe: Probe) => Promise<string>, body?: () => string): Check => {
  return async (probe) => {
    const target = await line(probe)
    for (const key of similarTo(probe.target.keys.full)) {
      const headers = body ? JSON_TYPE : {}
      const authorization = [`Bearer ${key}`]
      ;(await probe.ask(target, { authorization, headers, body: body?.() })).expectStatus(401)
    }
  }
}

const ALMOST = 'one character more or less, a different end, swapped case, or nothing after Bearer'
/** A server that accepts a similar key usually accepts it for every operation. */
const SIMILAR = 'auth.similar.list'

/** Requests an operation without an API key, or with an invalid one. */
function asked(probe: Probe, which: keyof typeof WITHOUT_KEY, operation: 'list' | 'get' | 'create'): Promise<Answer> {
  return probe.shared(`${operation} with a key that is ${which}`, async (own) => {
    if (operation === 'list') return own.get('/pets', {}, WITHOUT_KEY[which])
    if (operation === 'create') return own.post('/pets', petBody(), WITHOUT_KEY[which])
    return own.get(`/pets/${await somePetId(own).catch(() => '1')}`, {}, WITHOUT_KEY[which])
  })
}

export const refusesKey = (which: keyof typeof WITHOUT_KEY, operation: 'list' | 'get' | 'create'): Check => {
  return async (probe) => {
    if (operation === 'get') whileGetPetExists()
    ;(await asked(probe, which, operation)).expectStatus(401)
  }
}

export const similarCreate = row(
  'auth.similar.create',
  `POST /pets returns 401 for an API key that is almost right: ${ALMOST}.`,
)
  .from(documented('Keys', '401'), { needs: ['write'], after: ['auth.invalid.create', SIMILAR] })
  .check(refusesSimilar(async () => 'POST /pets', petBody))

export const interfaceKeys: readonly PromiseRow[] = [
  row('auth.missing.list', 'Without an API key, GET /pets returns 401.')
    .from(documented('Keys', 'The credential'))
    .check(async (probe) => {
      await refusesKey('missing', 'list')(probe)
      ;(await probe.get('/pets', {}, { ...WITHOUT_KEY.missing, afterKey: true })).expectStatus(401)
    }),
  row('auth.missing.get', 'Without an API key, GET /pets/{petId} returns 401.')
    .from(documented('Keys', 'The credential'))
    .check(refusesKey('missing', 'get')),
  row('auth.invalid.list', 'With an invalid API key, GET /pets returns 401.')
    .from(documented('Keys', '401'))
    .check(refusesKey('invalid', 'list')),
  row('auth.invalid.get', 'With an invalid API key, GET /pets/{petId} returns 401.')
    .from(documented('Keys', '401'))
    .check(refusesKey('invalid', 'get')),
  row(SIMILAR, `GET /pets returns 401 for an API key that is almost right: ${ALMOST}.`)
    .from(documented('Keys', '401'), { after: ['auth.invalid.list', 'pets.list.success'] })
    .check(refusesSimilar(async () => 'GET /pets')),
  row('auth.similar.get', `GET /pets/{petId} returns 401 for an API key that is almost right: ${ALMOST}.`)
    .from(documented('Keys', '401'), { after: ['auth.invalid.get', SIMILAR] })
    .check(
      refusesSimilar(async (probe) => {
        whileGetPetExists()
        return `GET /pets/${await somePetId(probe).catch(() => '1')}`
      }),
    ),
  ...errorRows(401, 'auth.missing.list', (probe) => {
    const operations = ['list', 'get', ...(probe.target.write ? (['create'] as const) : [])] as const
    return Promise.all(operations.flatMap((one) => [asked(probe, 'missing', one), asked(probe, 'invalid', one)]))
  }),
]
