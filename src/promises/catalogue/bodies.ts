// What every operation with a body promises of it: JSON by the letter, its size, its media type, and that a repeated request is carried out
// once. One family of rows, for pets and for orders.

import type { OperationId } from '../../contract/contract.ts'
import { parseJson } from '../../json/json.ts'
import { type Answer, textOf } from '../answer.ts'
import { newName } from '../fixtures.ts'
import { type Asking, JSON_TYPE, type Probe } from '../probe.ts'
import type { Level, PromiseRow } from '../promise.ts'
import { type Check, header, operation, parameter, refuses, rowsOf, writing } from './rows.ts'

export interface BodyFamily {
  level: Level
  /** The beginning of the ids: `pets.create`. */
  id: string
  operation: OperationId
  /** The code of JSON that is not what is wanted. */
  invalid: string
  /** A field of free text. */
  text: string
  /** A body that is taken once; with these fields beside those that it needs. */
  body(probe: Probe, fields?: Record<string, unknown>): Promise<string>
  send(probe: Probe, body: string | Uint8Array | undefined, asking?: Asking): Promise<Answer>
  /** Bodies that differ from the given one in what they say. */
  others(body: string): readonly string[]
}

const SIZE_MAX = 65_536
const NESTING_MAX = 32

/** Rows of one operation. */
export function bodyRows(family: BodyFamily): PromiseRow[] {
  return [...jsonRows(family), ...typeRows(family), ...idempotencyRows(family)]
}

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const padded = (json: string, size: number) => json + ' '.repeat(size - bytes(json).length)
/** With another member at its end. */
const withMember = (json: string, member: string) => `${json.slice(0, -1)},${member}}`

function jsonRows({ level, id, operation: of, invalid, text, body, send }: BodyFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = operation(of, 'description')
  const badSource = operation(of, 'responses', '400')
  const first = writing(`${id}.json.broken`)
  const bad = (make: (valid: string) => string | Uint8Array | undefined, code = 'malformed_json'): Check =>
    refuses(async (probe) => send(probe, make(await body(probe))), 400, code)
  const good = (make: (valid: string) => string | Uint8Array): Check =>
    refuses(async (probe) => send(probe, make(await body(probe))), 201)
  const broken = (valid: string) => {
    const [head, ...rest] = valid.split(`"${text}":"`)
    return Buffer.concat([bytes(`${head}"${text}":"`), Uint8Array.of(0xff), bytes(rest.join(''))])
  }
  return [
    row(
      `${id}.json.broken`,
      'A body that is not JSON: 400 malformed_json.',
      badSource,
      bad((valid) => valid.replace(/\}$/, ',}')),
      { needs: ['write'] },
    ),
    row(
      `${id}.json.empty`,
      'An empty body: 400 malformed_json.',
      badSource,
      bad(() => ''),
      first,
    ),
    row(
      `${id}.json.two-values`,
      'Two values in a body: 400 malformed_json.',
      badSource,
      bad((valid) => valid + valid),
      first,
    ),
    row(
      `${id}.json.equal-names`,
      'An object with the same name twice: 400 malformed_json.',
      source,
      bad((valid) => withMember(valid, '"x":1,"\\u0078":2')),
      { needs: ['write'] },
    ),
    row(`${id}.json.utf-8`, 'A body that is not UTF-8: 400 malformed_json.', source, bad(broken), { needs: ['write'] }),
    row(
      `${id}.json.byte-order-mark`,
      'A body with a byte order mark: 400 malformed_json.',
      'RFC 8259, section 8.1',
      bad((valid) => `\ufeff${valid}`),
      { needs: ['write'] },
    ),
    row(
      `${id}.json.nesting`,
      `A body is nested at most ${NESTING_MAX} levels deep: so deep is taken.`,
      source,
      good((valid) => withMember(valid, `"x":${nested(NESTING_MAX - 1)}`)),
      writing(`${id}.success`),
    ),
    row(
      `${id}.json.nesting.too-deep`,
      'A body that is nested deeper: 400 malformed_json.',
      source,
      bad((valid) => withMember(valid, `"x":${nested(NESTING_MAX)}`)),
      { needs: ['write'] },
    ),
    row(
      `${id}.json.nesting.far-too-deep`,
      'A body that is nested 30 000 levels deep: 400 malformed_json.',
      source,
      bad(() => nested(30_000)),
      writing(`${id}.json.nesting.too-deep`),
    ),
    row(
      `${id}.json.no-object`,
      `JSON that is no object: 400 ${invalid}.`,
      badSource,
      bad(() => '[]', invalid),
      { needs: ['write'] },
    ),
    row(
      `${id}.size`,
      'A body of 64 KiB is taken.',
      source,
      good((valid) => padded(valid, SIZE_MAX)),
      writing(`${id}.success`),
    ),
    row(
      `${id}.size.too-large`,
      'A larger body: 413 body_too_large.',
      operation(of, 'responses', '413'),
      refuses(async (probe) => send(probe, padded(await body(probe), SIZE_MAX + 1)), 413, 'body_too_large'),
      { needs: ['write'] },
    ),
    row(
      `${id}.size.chunked`,
      'A larger body in chunks: 413 body_too_large.',
      operation(of, 'responses', '413'),
      refuses(
        async (probe) => send(probe, padded(await body(probe), SIZE_MAX + 1), { headers: CHUNKED }),
        413,
        'body_too_large',
      ),
      writing(`${id}.size.too-large`, `${id}.chunked`),
    ),
    row(
      `${id}.chunked`,
      'A body that comes in chunks is read.',
      'RFC 9112, section 7.1',
      refuses(async (probe) => send(probe, await body(probe), { headers: CHUNKED }), 201),
      writing(`${id}.success`),
    ),
  ]
}

const CHUNKED = { 'Transfer-Encoding': 'chunked' }

function typeRows({ level, id, operation: of, body, send }: BodyFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = operation(of, 'responses', '415')
  const typed =
    (type: string | undefined, status: number, headers: Record<string, string> = {}): Check =>
    async (probe) => {
      const answer = await send(probe, await body(probe), { headers: { 'Content-Type': type, ...headers } })
      answer.expectError(status, status === 415 ? 'unsupported_media_type' : undefined)
      if (status === 415) answer.expectHeader('Accept-Encoding', headers['Content-Encoding'] && 'identity')
    }
  const taken = writing(`${id}.success`)
  const refused = { needs: ['write'] as const }
  const other = writing(`${id}.media-type.other`)
  return [
    row(`${id}.media-type.none`, 'A body without Content-Type is read as JSON.', source, typed(undefined, 201), taken),
    row(
      `${id}.media-type.charset`,
      'The charset utf-8 is taken, in any letters and in quotes.',
      source,
      typed('Application/JSON ; charset="UTF-8"', 201),
      taken,
    ),
    row(
      `${id}.media-type.parameters`,
      'Other parameters of the media type are taken.',
      'RFC 9110, section 5.6.6',
      typed('application/json;; x="a;b" ; Y=z;', 201),
      taken,
    ),
    row(
      `${id}.media-type.other`,
      'Another media type: 415 unsupported_media_type.',
      source,
      typed('text/plain', 415),
      refused,
    ),
    row(
      `${id}.media-type.similar`,
      'A media type that only begins so: 415 unsupported_media_type.',
      source,
      typed('application/jsonx', 415),
      other,
    ),
    row(
      `${id}.media-type.two`,
      'Two media types: 415 unsupported_media_type.',
      source,
      typed('application/json, application/json', 415),
      other,
    ),
    row(
      `${id}.media-type.other-charset`,
      'Another charset: 415 unsupported_media_type.',
      source,
      typed('application/json; charset=latin1', 415),
      refused,
    ),
    row(
      `${id}.media-type.two-charsets`,
      'A second charset: 415 unsupported_media_type.',
      source,
      typed('application/json; charset=utf-8; charset=utf-16', 415),
      writing(`${id}.media-type.other-charset`),
    ),
    row(
      `${id}.content-encoding`,
      'Any Content-Encoding: 415 with Accept-Encoding: identity.',
      header('AcceptEncoding'),
      typed('application/json', 415, { 'Content-Encoding': 'gzip' }),
      refused,
    ),
    row(
      `${id}.content-encoding.identity`,
      'Content-Encoding: identity is one, too: 415.',
      source,
      typed('application/json', 415, { 'Content-Encoding': 'identity' }),
      writing(`${id}.content-encoding`),
    ),
  ]
}

const INVALID_KEYS = ['', '""', '"', '"a', 'a"', '"a"b"', 'a b', 'a,b', '"a", "b"', '"\\a"', '"a";p=1', 'x'.repeat(256)]

function idempotencyRows({ level, id, operation: of, body, send, others }: BodyFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(of, 'Idempotency-Key')
  const newKey = () => crypto.randomUUID()
  const under = (probe: Probe, key: string, json: string, asking: Asking = {}) =>
    send(probe, json, { ...asking, headers: { ...JSON_TYPE, 'Idempotency-Key': key } })
  /** The answers to one request and to another, under the same key unless `second` says another. */
  const twice = async (
    probe: Probe,
    second: { key?: (key: string) => string; json?: (json: string) => string; asking?: Asking } = {},
  ) => {
    const [key, json] = [`"${newKey()}"`, await body(probe)]
    const first = (await under(probe, key, json)).expectStatus(201)
    return { first, again: await under(probe, second.key?.(key) ?? key, second.json?.(json) ?? json, second.asking) }
  }
  const same = ({ first, again }: { first: Answer; again: Answer }) => {
    again.expectStatus(201)
    if (again.text !== first.text) throw again.broken(`the first answer: ${first.text}`, again.text)
  }
  const replay = writing(`${id}.idempotency.replay`)
  const replayed: Check = async (probe) => {
    const { first, again } = await twice(probe)
    first.expectHeader('Idempotency-Replayed', undefined)
    again.expectHeader('Idempotency-Replayed', 'true')
  }
  const rewritten = (json: string) => {
    const members = [...(parseJson(json) as Map<string, unknown>).keys()].map((name) => {
      const [, value = ''] = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"|[^,}]+)`).exec(json) ?? []
      return `"${name}" : ${/^\d+$/.test(value) ? `${value}.0` : value}`
    })
    return `{ ${members.reverse().join(' , ')} , "x" : 1 }`
  }
  const together: Check = async (probe) => {
    const [key, json] = [`"${newKey()}"`, await body(probe)]
    const all = await Promise.all(Array.from({ length: 6 }, () => under(probe, key, json)))
    const taken = all.map((answer) => answer.expectStatus(201, 409)).filter(({ status }) => status === 201)
    for (const answer of all.filter(({ status }) => status === 409)) answer.expectError(409, 'idempotency_in_flight')
    const [first, another] = [taken[0], taken.find(({ text }) => text !== taken[0]?.text)]
    if (another) throw another.broken(`one answer: ${first?.text}`, another.text)
    ;(await under(probe, key, json)).expectStatus(201)
  }
  const reused: Check = async (probe) => {
    const key = `"${newKey()}"`
    ;(await under(probe, key, '{}')).expectStatus(400)
    ;(await under(probe, key, await body(probe))).expectStatus(201).expectHeader('Idempotency-Replayed', undefined)
  }
  return [
    row(
      `${id}.idempotency.replay`,
      'The same request under the same Idempotency-Key gets the first answer again.',
      source,
      async (probe) => same(await twice(probe)),
      writing(`${id}.success`),
    ),
    row(
      `${id}.idempotency.replayed-header`,
      'A replay has Idempotency-Replayed: true, and the first answer has none.',
      header('IdempotencyReplayed'),
      replayed,
      replay,
    ),
    row(
      `${id}.idempotency.quotes`,
      'An Idempotency-Key is the same with and without quotes.',
      source,
      async (probe) => same(await twice(probe, { key: (key) => key.slice(1, -1) })),
      replay,
    ),
    row(
      `${id}.idempotency.escapes`,
      'A backslash in an Idempotency-Key in quotes is written twice.',
      'RFC 8941, section 3.3.3',
      async (probe) => {
        const [key, json] = [newKey(), await body(probe)]
        const first = (await under(probe, `"${key}\\\\x"`, json)).expectStatus(201)
        same({ first, again: await under(probe, `${key}\\x`, json) })
      },
      writing(`${id}.idempotency.quotes`),
    ),
    row(
      `${id}.idempotency.meaning`,
      'A request is the same by its meaning: spaces, order and 7.0 for 7 make no difference.',
      source,
      async (probe) => same(await twice(probe, { json: rewritten })),
      replay,
    ),
    row(
      `${id}.idempotency.mismatch`,
      'Another request under a used Idempotency-Key: 422 idempotency_mismatch.',
      operation(of, 'responses', '422'),
      async (probe) => {
        const [key, json] = [`"${newKey()}"`, await body(probe)]
        ;(await under(probe, key, json)).expectStatus(201)
        for (const other of others(json)) (await under(probe, key, other)).expectError(422, 'idempotency_mismatch')
      },
      replay,
    ),
    row(
      `${id}.idempotency.refused`,
      'The Idempotency-Key of a refused request can be used again.',
      source,
      reused,
      writing(`${id}.success`),
    ),
    row(
      `${id}.idempotency.longest`,
      'An Idempotency-Key may have 255 characters.',
      source,
      async (probe) => {
        ;(await under(probe, `"${newKey().padEnd(255, 'x')}"`, await body(probe))).expectStatus(201)
      },
      writing(`${id}.success`),
    ),
    row(
      `${id}.idempotency.invalid`,
      'An Idempotency-Key that is empty, too long or wrongly quoted: 400 invalid_parameter.',
      source,
      async (probe) => {
        for (const key of INVALID_KEYS)
          (await under(probe, key, await body(probe))).expectError(400, 'invalid_parameter')
      },
      { needs: ['write'] },
    ),
    row(
      `${id}.idempotency.together`,
      'Of requests with one Idempotency-Key at the same time one is carried out; the others get its answer, or 409 idempotency_in_flight.',
      operation(of, 'responses', '409'),
      together,
      replay,
    ),
    row(
      `${id}.idempotency.other-key`,
      'Each API key has Idempotency-Keys of its own.',
      source,
      async (probe) => {
        const key = `"${newKey()}"`
        const first = (await under(probe, key, await body(probe))).expectStatus(201)
        const second = (await under(probe, key, await body(probe), { key: 'other' })).expectStatus(201)
        second.expectHeader('Idempotency-Replayed', undefined)
        const [one, another] = [first, second].map((answer) => textOf(answer.object().get('id')))
        if (one === another) throw second.broken('an answer of its own', second.text)
      },
      { needs: ['write', 'other key'], after: [`${id}.idempotency.replay`] },
    ),
  ]
}

/** Free text that is taken and comes back, and text that is refused, as `name` and `reference` have it. */
export function textRows(
  { level, id, invalid, text, body, send }: BodyFamily,
  source: string,
  prefix = `${id}.${text}`,
): PromiseRow[] {
  const row = rowsOf(level)
  const keeps = (value: () => string): Check => {
    return async (probe) => {
      const sent = value()
      const answer = (await send(probe, await body(probe, { [text]: sent }))).expectStatus(201)
      answer.expectMember(answer.object(), text, sent)
    }
  }
  const refused = (value: string): Check =>
    refuses(
      async (probe) => {
        const json = await body(probe, { [text]: 'TEXT' })
        return send(
          probe,
          json.replace('"TEXT"', () => value),
        )
      },
      400,
      invalid,
    )
  const taken = writing(`${id}.success`)
  const wrong = { needs: ['write'] as const }
  return [
    row(
      `${prefix}.longest`,
      `A ${text} of 255 code points is taken.`,
      source,
      keeps(() => '🐶'.repeat(255)),
      taken,
    ),
    row(`${prefix}.too-long`, `A ${text} of 256: 400 ${invalid}.`, source, refused(`"${'a'.repeat(256)}"`), wrong),
    row(`${prefix}.empty`, `An empty ${text}: 400 ${invalid}.`, source, refused('""'), wrong),
    row(`${prefix}.blank`, `A ${text} of white space: 400 ${invalid}.`, source, refused('" \\t\\u3000"'), wrong),
    row(`${prefix}.nul`, `A ${text} with U+0000: 400 ${invalid}.`, source, refused('"a\\u0000b"'), wrong),
    row(
      `${prefix}.surrogate`,
      `A ${text} with a lone surrogate: 400 ${invalid}.`,
      'RFC 8259, section 8.2',
      refused('"\\ud800"'),
      wrong,
    ),
    row(
      `${prefix}.untrimmed`,
      `Spaces around a ${text} stay.`,
      source,
      keeps(() => ` ${newName()} `),
      taken,
    ),
    row(
      `${prefix}.unnormalised`,
      `A ${text} is not normalised.`,
      source,
      keeps(() => `${newName()} e\u0301 \u00e9 \ufb01`),
      taken,
    ),
  ]
}
