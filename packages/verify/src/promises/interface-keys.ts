// Level `interface`: what the interface document says about keys and errors.

import { type Answer, number } from '../answer.ts'
import { BEGINNING, ENDING, inOtherLetters, KEY_SHOWN_MIN } from '../curl.ts'
import { petBody } from '../fixtures.ts'
import { somePetId } from '../pet-lists.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { WITHOUT_KEY } from './shared/key-rows.ts'
import { type Check, documented, rowsOf, whileGetPetExists } from './shared/rows.ts'

const row = rowsOf('interface')

/** application/json, whose only valid charset is UTF-8 (RFC 8259, 8.1). */
export const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*|;(?!\s*charset\b)[^;]*)*$/i
/** Rows for the members of an error. */
export function errorRows(status: number, first: string, ask: (probe: Probe) => Promise<Answer[]>) {
  const all =
    (expect: (answer: Answer) => void): Check =>
    async (probe) => {
      const answers = await probe.shared(`errors ${status}`, ask)
      const errors = answers.filter((answer) => answer.status === status)
      if (errors.length === 0) throw probe.unjudged(`The server returned no ${status}.`)
      for (const answer of errors) expect(answer)
    }
  const needs = status === 400 ? ({ needs: ['write'] } as const) : {}
  const id = `errors.${status}`
  /** A fault in every error is only reported for 401. */
  const member = (name: string, promise: string, subject: string, expect: (answer: Answer) => void) =>
    row(`${id}.${name}`, promise)
      .from(documented('Errors', subject), {
        ...needs,
        premises: [`${id}.content-type`, ...(status === 401 ? [] : [`errors.401.${name}`])],
      })
      .check(all(expect))
  return [
    row(`${id}.content-type`, `A ${status} has a body of type application/json.`)
      .from(documented('Errors', 'Other statuses'), { ...needs, premises: [first] })
      .check(all((answer) => answer.expectHeader('Content-Type', JSON_MEDIA_TYPE))),
    member('code', `The body of a ${status} has a code, a string.`, '`code`', (one) => one.expectString('code')),
    member('message', `The body of a ${status} has a message, a string.`, '`message`', (one) =>
      one.expectString('message'),
    ),
    member('status', `In the body of a ${status}, status is ${status}.`, 'Body', (one) =>
      one.expectMember('status', number(status)),
    ),
  ]
}

/** Returns keys that differ slightly from this one, in ways that a shell can write: `${KEY%?}A`. */
function similarTo(probe: Probe): string[] {
  const key = probe.target.keys.full
  if (key.length < KEY_SHOWN_MIN) throw probe.unjudged('The API key is too short to derive similar keys from it.')
  const other = (count: number) => key.slice(0, -count) + (/a/i.test(key.slice(-count)) ? 'z' : 'A').repeat(count)
  const almost = [`${key}A`, key.slice(0, -1), other(1), other(ENDING), '']
  // A key with letters of one case can be hexadecimal, where case does not matter.
  const random = key.slice(BEGINNING)
  return /[a-z]/.test(random) && /[A-Z]/.test(random) ? [...almost, inOtherLetters(key)] : almost
}

const LINES = { list: 'GET /pets', get: 'GET /pets/{petId}', create: 'POST /pets' } as const
type Operation = keyof typeof LINES
const KINDS = ['missing', 'invalid'] as const

/** Sends a valid request of the operation with this credential. */
async function ask(probe: Probe, operation: Operation, credential: RequestOptions): Promise<Answer> {
  if (operation === 'create') return probe.post('/pets', petBody(), credential)
  const id = operation === 'get' ? `/${await somePetId(probe).catch(() => '1')}` : ''
  return probe.get(`/pets${id}`, {}, credential)
}

function withoutKey(probe: Probe, which: keyof typeof WITHOUT_KEY, operation: Operation): Promise<Answer> {
  return probe.shared(`${operation} with a key that is ${which}`, (own) => ask(own, operation, WITHOUT_KEY[which]))
}

function authRows(operation: Operation) {
  const needs = operation === 'create' ? (['write'] as const) : []
  // A server that accepts a similar key usually accepts it for every operation.
  const premise = operation === 'list' ? 'pets.list.success' : 'auth.similar.list'
  return [
    ...KINDS.map((which) =>
      row(`auth.${which}.${operation}`, `${LINES[operation]} returns 401 if the API key is ${which}.`)
        .from(documented('Keys', which === 'missing' ? 'The credential' : '401'), { needs })
        .check(async (probe) => {
          if (operation === 'get') await whileGetPetExists(probe)
          ;(await withoutKey(probe, which, operation)).expectStatus(401)
          if (operation !== 'list' || which !== 'missing') return
          ;(await probe.get('/pets', {}, { ...WITHOUT_KEY.missing, afterKey: true })).expectStatus(401)
        }),
    ),
    row(
      `auth.similar.${operation}`,
      `${LINES[operation]} returns 401 for a key with a wrong character, length or case.`,
    )
      .from(documented('Keys', '401'), { needs, premises: [`auth.invalid.${operation}`, premise] })
      .check(async (probe) => {
        if (operation === 'get') await whileGetPetExists(probe)
        for (const key of similarTo(probe))
          (await ask(probe, operation, { authorization: [`Bearer ${key}`] })).expectStatus(401)
      }),
  ]
}

export const interfaceKeys = [
  ...authRows('list'),
  ...authRows('get'),
  ...authRows('create'),
  ...errorRows(401, 'auth.missing.list', (probe) => {
    const operations = ['list', 'get', ...(probe.target.write ? (['create'] as const) : [])] as const
    return Promise.all(operations.flatMap((one) => KINDS.map((which) => withoutKey(probe, which, one))))
  }),
]
