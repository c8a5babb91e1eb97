// What every operation with a body promises of it: JSON by the letter, its size, its media type. One family of rows, for pets and for orders.

import type { BodyFamily } from './family.ts'
import { idempotencyRows } from './idempotency.ts'
import type { PromiseRow } from './promise.ts'
import { type Check, operation, response, rowsOf, writing } from './rows.ts'

/** Rows of one operation. */
export function bodyRows(family: BodyFamily): PromiseRow[] {
  return [...jsonRows(family), ...typeRows(family), ...idempotencyRows(family)]
}

type Body = string | Uint8Array
/** End of the id, sentence, the body made of a valid one, status, code (`invalid` is the operation's), and the end of what it depends on. */
type JsonCase = readonly [string, string, (valid: string) => Body, number, string?, string?]

const SIZE_MAX = 65_536
const NESTING_MAX = 32
const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const padded = (json: string, size: number) => json + ' '.repeat(size - bytes(json).length)
/** With another member at its end. */
const withMember = (json: string, member: string) => `${json.slice(0, -1)},${member}}`
const withNesting = (json: string, depth: number) => withMember(json, `"x":${nested(depth - 1)}`)
/** With a byte that is none of UTF-8 in its text. */
const notUtf8 = (json: string) => Buffer.from(json.replace(/(":")/, '$1\u00ff'), 'latin1')
const BAD = 'malformed_json'
const JSON_CASES: readonly JsonCase[] = [
  ['json.broken', 'A body that is not JSON', (valid) => valid.replace(/\}$/, ',}'), 400, BAD],
  ['json.empty', 'An empty body', () => '', 400, BAD, 'json.broken'],
  ['json.two-values', 'Two values in a body', (valid) => valid + valid, 400, BAD, 'json.broken'],
  ['json.equal-names', 'An object with a name twice', (valid) => withMember(valid, '"x":1,"\\u0078":2'), 400, BAD],
  ['json.utf-8', 'A body that is not UTF-8', notUtf8, 400, BAD],
  ['json.byte-order-mark', 'A body with a byte order mark', (valid) => `\ufeff${valid}`, 400, BAD],
  ['json.nesting', 'A body nested 32 levels deep is taken', (valid) => withNesting(valid, NESTING_MAX), 201],
  ['json.nesting.too-deep', 'A body nested deeper', (valid) => withNesting(valid, NESTING_MAX + 1), 400, BAD],
  [
    'json.nesting.far-too-deep',
    'A body nested 30 000 levels deep',
    () => nested(30_000),
    400,
    BAD,
    'json.nesting.too-deep',
  ],
  ['json.no-object', 'JSON that is no object', () => '[]', 400, 'invalid'],
  ['size', 'A body of 64 KiB is taken', (valid) => padded(valid, SIZE_MAX), 201],
  ['size.too-large', 'A larger body', (valid) => padded(valid, SIZE_MAX + 1), 413, 'body_too_large'],
]

const CHUNKED = { 'Transfer-Encoding': 'chunked' }

function jsonRows(family: BodyFamily): PromiseRow[] {
  const { level, id, operation: of, invalid, body, send } = family
  const row = rowsOf(level)
  const rows = JSON_CASES.map(([end, words, make, status, code, after]) => {
    const expected = code === 'invalid' ? invalid : code
    const check: Check = async (probe) => (await send(probe, make(await body(probe)))).expectError(status, expected)
    const source = status === 201 ? operation(of, 'description') : response(of, status)
    const sentence = status === 201 ? `${words}.` : `${words}: ${status} ${expected}.`
    return row(`${id}.${end}`, sentence)
      .from(source, writing(...premises(family, status, after)))
      .check(check)
  })
  const chunked =
    (make: (valid: string) => Body, status: number, code?: string): Check =>
    async (probe) =>
      (await send(probe, make(await body(probe)), { headers: CHUNKED })).expectError(status, code)
  const whole = chunked((valid) => valid, 201)
  const large = chunked((valid) => padded(valid, SIZE_MAX + 1), 413, 'body_too_large')
  const source = 'RFC 9112, section 7.1'
  return [
    ...rows,
    row(`${id}.chunked`, 'A body in chunks is read.')
      .from(source, writing(`${id}.success`))
      .check(whole),
    row(`${id}.size.chunked`, 'A larger body in chunks: 413 body_too_large.')
      .from(response(of, 413), writing(`${id}.size.too-large`, `${id}.chunked`))
      .check(large),
  ]
}

/** What is taken can be judged only where the plain body is, and what is refused where its error is whole. */
function premises({ id, refused }: BodyFamily, status: number, after: string | undefined): string[] {
  if (after !== undefined) return [`${id}.${after}`]
  // What is wrong in every 415 or 413 is told of the pets.
  const ofPets = { 415: 'pets.create.media-type.other', 413: 'pets.create.size.too-large' }[status]
  if (ofPets && id !== 'pets.create') return [ofPets]
  return status === 201 ? [`${id}.success`] : status === 400 ? [`${id}.${refused}`] : []
}

const JSON_TYPE = 'application/json'
/** End of the id, words, Content-Type, status, Content-Encoding, and the end of what it depends on. */
const TYPE_CASES: readonly (readonly [
  string,
  string,
  string | undefined,
  201 | 415,
  (string | undefined)?,
  string?,
])[] = [
  ['media-type.none', 'A body without Content-Type is read as JSON', undefined, 201],
  [
    'media-type.charset',
    'The charset utf-8 is taken, in any letters and in quotes',
    'Application/JSON ; charset="UTF-8"',
    201,
  ],
  ['media-type.parameters', 'Other parameters of the media type are taken', `${JSON_TYPE};; x="a;b" ; Y=z;`, 201],
  ['media-type.other', 'Another media type', 'text/plain', 415],
  ['media-type.similar', 'A media type that only begins so', `${JSON_TYPE}x`, 415, undefined, 'media-type.other'],
  ['media-type.two', 'Two media types', `${JSON_TYPE}, ${JSON_TYPE}`, 415, undefined, 'media-type.other'],
  ['media-type.other-charset', 'Another charset', `${JSON_TYPE}; charset=latin1`, 415, undefined, 'media-type.other'],
  [
    'media-type.two-charsets',
    'A second charset',
    `${JSON_TYPE}; charset=utf-8; charset=utf-16`,
    415,
    undefined,
    'media-type.other-charset',
  ],
  [
    'content-encoding',
    'Any Content-Encoding (the answer has Accept-Encoding: identity)',
    JSON_TYPE,
    415,
    'gzip',
    'media-type.other',
  ],
  ['content-encoding.identity', 'Content-Encoding: identity', JSON_TYPE, 415, 'identity', 'content-encoding'],
]

function typeRows(family: BodyFamily): PromiseRow[] {
  const { level, id, operation: of, body, send } = family
  const row = rowsOf(level)
  return TYPE_CASES.map(([end, words, type, status, coding, after]) => {
    const check: Check = async (probe) => {
      const headers = { 'Content-Type': type, 'Content-Encoding': coding }
      const answer = await send(probe, await body(probe), { headers })
      answer.expectError(status, status === 415 ? 'unsupported_media_type' : undefined)
      if (status === 415) answer.expectHeader('Accept-Encoding', coding && 'identity')
    }
    const sentence = status === 201 ? `${words}.` : `${words}: 415 unsupported_media_type.`
    const source = coding ? 'openapi.yaml#/components/headers/AcceptEncoding' : response(of, 415)
    return row(`${id}.${end}`, sentence)
      .from(source, writing(...premises(family, status, after)))
      .check(check)
  })
}
