// What createPet takes and refuses: names, numbers, statuses, JSON at its limits, media types, and bodies that arrive
// slowly or in pieces.

import { expect, test } from 'bun:test'
import { petBody, verbatim } from '../support/pets.ts'
import { describeApi, expectError, JSON_TYPE, type OnStore, PET, type Row } from './api.ts'

export function createPet(on: OnStore): void {
  describeApi('createPet', on, (api) => {
    const create = (
      description: string,
      body: string | Uint8Array<ArrayBuffer>,
      status: number,
      ...message: string[]
    ): Row => ({
      description,
      ask: 'POST /pets',
      body,
      headers: JSON_TYPE,
      status,
      ...(status === 400 ? { code: message.length > 0 ? 'invalid_pet' : 'malformed_json', message } : {}),
    })

    test('returns the pet with its id', async () => {
      const { status, text, headers } = await api.service.post(
        petBody({ name: 'Mia', categoryId: 5n, status: 'sold' }),
        JSON_TYPE,
      )
      expect(status).toBe(201)
      expect(text).toMatch(/^\{"id":[1-9][0-9]*,"name":"Mia","categoryId":5,"status":"sold"\}$/)
      expect(headers.has('Location')).toBe(false)
    })

    test('without a status the pet is available', async () => {
      expect((await api.service.post(PET, JSON_TYPE)).text).toEndWith('"status":"available"}')
    })

    for (const int64 of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
      test(`keeps categoryId ${int64} from wire to disk and back`, async () => {
        const created = await api.service.post(petBody({ categoryId: verbatim(int64) }), JSON_TYPE)
        expect(created.text).toContain(`"categoryId":${int64},`)
        const id = /"id":(\d+)/.exec(created.text)?.[1]
        expect((await api.service.get(`/pets/${id}`)).text).toBe(created.text)
      })
    }

    for (const [written, meant] of [
      ['1.0', '1'],
      ['1e3', '1000'],
      ['-0', '0'],
      ['12.5e1', '125'],
      ['0e999999999999', '0'],
    ] as const) {
      test(`reads the categoryId ${written} as ${meant}`, async () => {
        const { text } = await api.service.post(petBody({ categoryId: verbatim(written) }), JSON_TYPE)
        expect(text).toContain(`"categoryId":${meant},`)
      })
    }

    api.rows([
      create('ignores an id and other unknown fields', petBody({ id: 99, ['__proto__']: {} }), 201),
      create('takes a name of 255 code points', petBody({ name: '\u{1F436}'.repeat(255) }), 201),
      create(
        'refuses a name of 256 code points',
        petBody({ name: 'a'.repeat(256) }),
        400,
        'name must be 1 to 255 characters',
      ),
      create('refuses an empty name', petBody({ name: '' }), 400, 'name must be 1 to 255 characters'),
      create(
        'refuses a name of white space',
        petBody({ name: ' \t\u3000' }),
        400,
        'name must contain a character that is not white',
      ),
      create(
        'refuses a very long name of white space at once',
        petBody({ name: ' '.repeat(60_000) }),
        400,
        'name must be 1 to 255',
      ),
      create('refuses U+0000 in a name', petBody({ name: verbatim('"a\\u0000b"') }), 400, 'no U+0000'),
      create('refuses a lone surrogate in a name', petBody({ name: verbatim('"\\ud800"') }), 400, 'well-formed'),
      create('refuses a name that is no string', petBody({ name: 7 }), 400, 'name must be a string.'),
      create('refuses a fraction', petBody({ categoryId: verbatim('1.5') }), 400, 'categoryId must be an integer'),
      create(
        'refuses a string as categoryId',
        petBody({ name: undefined, categoryId: '1' }),
        400,
        'name is required. categoryId must be an integer.',
      ),
      create('refuses 2^63', petBody({ categoryId: 2n ** 63n }), 400, 'to 9223372036854775807.'),
      create(
        'refuses a huge exponent',
        petBody({ categoryId: verbatim('1e999999999999999999999') }),
        400,
        'categoryId must be',
      ),
      create(
        'refuses a small exponent',
        petBody({ categoryId: verbatim('1e-999999999') }),
        400,
        'categoryId must be an integer',
      ),
      create('refuses an unknown status', petBody({ status: 'Sold' }), 400, 'available, pending, sold'),
      create('refuses a status of null', petBody({ status: null }), 400, 'status must be one of'),
      create('names the field that was meant', '{"name":"Rex","category_id":7}', 400, 'instead of category_id?'),
      create('names it where Id is left out', '{"name":"Rex","Category":7}', 400, 'instead of Category?'),
      create('names all problems at once', '{"status":1}', 400, 'name is', 'categoryId is required.', 'status must'),
      create('refuses an array', '[]', 400, 'The body must be a JSON object.'),
      create('refuses an empty body', '', 400),
      create('refuses what is no JSON', '{"name":"Rex",}', 400),
      create('refuses two values', `${PET}${PET}`, 400),
      create('refuses a name given twice', '{"name":"a","categoryId":1,"name":"b"}', 400),
      create('refuses a name given twice, once escaped', '{"name":"a","categoryId":1,"n\\u0061me":"b"}', 400),
      create('refuses invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 400),
      create('refuses a byte order mark', `\ufeff${PET}`, 400),
      create('takes nesting of 32', petBody({ x: verbatim(nested(31)) }), 201),
      create('refuses nesting of 33', petBody({ x: verbatim(nested(32)) }), 400),
      create('refuses nesting of 30 000 without trouble', nested(30_000), 400),
      create('takes a body of 64 KiB', pad(PET, 65_536), 201),
      { ...create('refuses more', pad(PET, 65_537), 413), code: 'body_too_large' },
      { ...create('refuses much more', pad(PET, 5_000_000), 413), code: 'body_too_large' },
    ])

    const typed = (description: string, headers: Record<string, string>, status: number, said = ''): Row => ({
      ...create(description, new TextEncoder().encode(PET), status),
      headers,
      ...(status === 415 ? { code: 'unsupported_media_type', message: [said] } : {}),
    })
    api.rows([
      typed('reads a body without Content-Type as JSON', {}, 201),
      typed('takes a charset of utf-8', { 'Content-Type': 'Application/JSON ; charset="UTF-8"' }, 201),
      typed('refuses another charset', { 'Content-Type': 'application/json; charset=latin1' }, 415, 'not latin1.'),
      typed('refuses a second charset', { 'Content-Type': 'application/json; charset=utf-8; charset=utf-16' }, 415),
      typed('repeats no key that was put there', { 'Content-Type': 'pets_live_x' }, 415, 'as application/json.'),
      typed('refuses another media type', { 'Content-Type': 'text/plain; charset=utf-8' }, 415, 'not text/plain.'),
      typed('refuses a media type that only begins so', { 'Content-Type': 'application/jsonx' }, 415),
      typed('takes other parameters', { 'Content-Type': 'application/json;; x="a;b" ; Y=z;' }, 201),
      typed('refuses what is no list of parameters', { 'Content-Type': 'application/json; x="a' }, 415),
      typed('refuses two media types', { 'Content-Type': 'application/json, application/json' }, 415),
      typed('refuses an empty media type', { 'Content-Type': ';' }, 415),
      typed('refuses any Content-Encoding', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 415),
      typed('refuses Content-Encoding identity', { ...JSON_TYPE, 'Content-Encoding': 'identity' }, 415),
    ])

    test('a refusal names the codings that are read when a Content-Encoding was refused, and only then', async () => {
      const accepted = async (headers: Record<string, string>) =>
        (await api.service.post(PET, headers)).headers.get('Accept-Encoding')
      expect(await accepted({ ...JSON_TYPE, 'Content-Encoding': 'gzip' })).toBe('identity')
      expect(await accepted({ 'Content-Type': 'text/plain', 'Content-Encoding': 'br' })).toBe('identity')
      expect(await accepted({ 'Content-Type': 'text/plain' })).toBeNull()
    })

    test('counts a chunked body as it arrives', async () => {
      const small = await api.service.post(chunks(PET.slice(0, 9), PET.slice(9)), JSON_TYPE)
      expect(small.status).toBe(201)
      const large = await api.service.post(chunks(...Array.from({ length: 70 }, () => ' '.repeat(1024))), JSON_TYPE)
      expectError(large, 413, 'body_too_large', [])
    })

    test('a body that does not arrive in time: 408 request_timeout', async () => {
      const impatient = await api.start({ bodyTimeoutMs: 100 })
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
      const answer = await impatient.post(body, JSON_TYPE)
      expectError(answer, 408, 'request_timeout', ['0.1 seconds'])
      expect(answer.headers.get('Connection')).toBe('close')
    })

    test('a body without an end: 413 body_too_large as soon as it is larger than 1 MB', async () => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1024 * 1024 + 1)) })
      expectError(await api.service.post(body, JSON_TYPE), 413, 'body_too_large', ['65536 bytes'])
    })

    test('logs the new pet with key and request id, and returns neither', async () => {
      const { headers, text } = await api.service.post(PET, JSON_TYPE)
      const line = JSON.parse(api.service.logged.at(-1) ?? '')
      expect(line).toMatchObject({ level: 'info', msg: 'createPet', keyId: '1', petId: /"id":(\d+)/.exec(text)?.[1] })
      expect(line.requestId).toBe(headers.get('X-Request-Id'))
      expect(api.service.logged.join('')).not.toContain(api.service.key.slice(10))
    })
  })
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

function pad(json: string, bytes: number): string {
  return json + ' '.repeat(bytes - json.length)
}

function chunks(...texts: string[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
}
