// Rows that every create has about its body: strict JSON, size, media type, and free text.

import { TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { type JsonObject, parseJson, stringifyJson } from '../../../../contract/src/json.ts'
import { BODY_BYTES_MAX, NESTING_MAX } from '../../../../contract/src/limits.ts'
import { newName } from '../../fixtures.ts'
import { idempotencyRows } from './idempotency.ts'
import type { BodyFamily } from './promise.ts'
import { familyOf, header, operation, response, writing } from './rows.ts'
import { fieldRows } from './wrong-rows.ts'

type Headers = Record<string, string | undefined>
/** Makes a body from a valid one, with headers for it. */
type Sent = readonly [make: (valid: string) => string | Uint8Array, headers?: Headers]

/** The end of the id, a description, the outcome and the bodies; source and premise if they are not the default. */
type BodyCase = readonly [end: string, words: string, Outcome, readonly Sent[], More?]
type More = { needed?: string; source?: string }
type Outcome = { status: 201 | 400 | 413 | 415; code?: string }

const CHUNKED = { 'Transfer-Encoding': 'chunked' }
const JSON_TYPE = 'application/json'
const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const padded = (size: number) => (json: string) => json + ' '.repeat(size - bytes(json).length)
const withMember = (member: string) => (json: string) => `${json.slice(0, -1)},${member}}`
const withNesting = (depth: number) => withMember(`"x":${nested(depth - 1)}`)
/** Makes a string invalid UTF-8. */
const notUtf8 = (json: string) => Buffer.from(json.replace(/(":")/, '$1\u00ff'), 'latin1')
const same = (json: string) => json
const typed = (...types: (string | undefined)[]): Sent[] => types.map((type) => [same, { 'Content-Type': type }])
const coded = (...codings: string[]): Sent[] => codings.map((coding) => [same, { 'Content-Encoding': coding }])

const TAKEN = { status: 201 } as const
const BAD = { status: 400, code: 'malformed_json' } as const
const TYPE = { status: 415, code: 'unsupported_media_type' } as const
const LARGE = { status: 413, code: 'body_too_large' } as const
const NO_JSON: Sent[] = [
  [(valid) => valid.replace(/\}$/, ',}')],
  [() => ''],
  [(valid) => valid + valid],
  [notUtf8],
  [(valid) => `\ufeff${valid}`],
]
const AS_JSON = typed(undefined, 'Application/JSON ; charset="UTF-8"', `${JSON_TYPE};; x="a;b" ; Y=z;`)
const CHARSETS = ['charset=latin1', 'charset=utf-8; charset=utf-16'].map((other) => `${JSON_TYPE}; ${other}`)
const OTHER_TYPES = ['text/plain', `${JSON_TYPE}x`, `${JSON_TYPE}, ${JSON_TYPE}`, ...CHARSETS]
const ACCEPTED = { source: 'openapi.yaml#/components/headers/AcceptEncoding', needed: 'media-type.other' }
const IN_CHUNKS = { source: 'RFC 9112, section 7.1' }
const [KIB, MAX] = [`${BODY_BYTES_MAX / 1024} KiB`, padded(BODY_BYTES_MAX)]
const TOO_LARGE = padded(BODY_BYTES_MAX + 1)
const CASES: readonly BodyCase[] = [
  ['json.broken', 'A body that is not one JSON value in UTF-8 without a byte order mark', BAD, NO_JSON],
  ['json.equal-names', 'An object with a duplicate name', BAD, [[withMember('"x":1,"\\u0078":2')]]],
  ['json.nesting', `A body nested ${NESTING_MAX} levels deep is accepted`, TAKEN, [[withNesting(NESTING_MAX)]]],
  ['json.nesting.too-deep', 'A body nested deeper', BAD, [[withNesting(NESTING_MAX + 1)], [() => nested(30_000)]]],
  ['size', `A body of ${KIB}, or a chunked one, is accepted`, TAKEN, [[MAX], [same, CHUNKED]], IN_CHUNKS],
  ['size.too-large', 'A larger body, chunked or not', LARGE, [[TOO_LARGE], [TOO_LARGE, CHUNKED]]],
  ['media-type', 'Content-Type can be omitted, or have charset=utf-8 and other parameters', TAKEN, AS_JSON],
  ['media-type.other', 'Another media type or charset, or a repeated one', TYPE, typed(...OTHER_TYPES)],
  ['content-encoding', 'Any Content-Encoding (Accept-Encoding: identity)', TYPE, coded('gzip', 'identity'), ACCEPTED],
]

export function bodyRows(family: BodyFamily) {
  const { id, invalid, body, send } = family
  const { row, of, path, tag } = familyOf(id)
  const cases = CASES.map(([end, words, { status, code }, requests, { needed, source } = {}]) =>
    row(`${id}.${end}`, code ? `${words}: ${status} ${code}.` : `${words}.`)
      .from(
        source ?? (code ? response(of, status) : operation(of, 'description')),
        writing(needed ? `${id}.${needed}` : premise(family, status)),
      )
      .check(async (probe) => {
        // A pet can only be ordered once, so each accepted request needs a new body.
        const valid = await body(probe)
        for (const [make, headers] of requests) {
          const answer = await send(probe, make(code ? valid : await body(probe)), headers && { headers })
          answer.expectError(status, code)
          if (end === 'content-encoding') answer.expectHeader('Accept-Encoding', 'identity')
        }
      }),
  )
  const etag = row(`${id}.etag`, 'The response has the ETag of GET.')
    .from(header('ETag'), writing(`${id}.success`, tag))
    .check(async (probe) => {
      const answer = (await send(probe, await body(probe))).expectStatus(201)
      answer.expectHeader('ETag', (await probe.read(`${path}/${answer.id}`)).header('ETag'))
    })
  const refused = row(`${id}.refused.code`, `An object without its required fields, or an array: 400 ${invalid}.`)
    .from(response(of, 400), writing(...(id === 'pets.create' ? ['errors.400.code'] : [])))
    .check(async (probe) => {
      for (const json of ['{}', '[]']) (await send(probe, json)).expectError(400, invalid)
    })
  const fields = fieldRows(id, invalid, `${id}.refused.code`, async (probe) => {
    const valid = parseJson(await body(probe)) as JsonObject
    return (field, value) => send(probe, stringifyJson(new Map([...valid, [field, value]])))
  })
  return [etag, refused, ...fields, ...cases, ...idempotencyRows(family)]
}

/** An accepted body depends on the plain create, and a rejected one on a complete error. */
function premise({ id }: BodyFamily, status: number): string {
  if (status === 201) return `${id}.success`
  // A fault in every 415 or 413 is only reported for pets.
  const ofPets = { 415: 'pets.create.media-type.other', 413: 'pets.create.size.too-large' }[status]
  return ofPets && id !== 'pets.create' ? ofPets : `${id}.refused.code`
}

const textsTaken = () => [
  '🐶'.repeat(TEXT_LENGTH_MAX),
  ` ${newName()} `,
  `${newName()}  a\tb\r\nc\nd\u00a0e\u2003f\u3000g\u2028h\u0085i\vj\fk`,
  `${newName()} \u200ba\u200d\ufe0f\ufeff\u00ad\u0001\u202e`,
  `${newName()} e\u0301 \u00e9 \ufb01`,
]
/** Rows for the operation's free text field. */
export function textRows({ id, text, body, send }: BodyFamily, source: readonly string[], premises: string) {
  const { row } = familyOf(id)
  return [
    row(`${id}.${text}.exact`, `A ${text} of up to ${TEXT_LENGTH_MAX} code points is returned exactly as sent.`)
      .from(source, writing(premises))
      .check(async (probe) => {
        for (const sent of textsTaken())
          (await send(probe, await body(probe, { [text]: sent }))).expectStatus(201).expectMember(text, sent)
      }),
  ]
}
