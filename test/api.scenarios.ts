// What the service answers, as rows: request, key, expected status, expected code. Every answer is also held against
// openapi.yaml, and the last test asks whether every declared one was seen. A store's test file calls this.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PetstoreError } from '../src/errors.ts'
import { generateKey } from '../src/keys.ts'
import type { Store } from '../src/store/store.ts'
import { declaredAnswers, observed } from './support/contract-check.ts'
import { type Answer, type Asked, type Service, startService, TODAY } from './support/service.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PET = '{"name":"Rex","categoryId":7}'
const DAY_MS = 86_400_000
const SUNSET = Date.UTC(2030, 11, 5)

interface Row extends Asked {
  says: string
  ask: string
  status: number
  code?: string
  /** What the message must hold. */
  message?: string[]
}

export function apiScenarios(name: string, newAddress: () => Promise<string> | string): void {
  describe(`the API on ${name}`, () => {
    let service: Service
    let readOnly: Record<string, string>

    beforeAll(async () => {
      service = await startService({ address: await newAddress() })
      readOnly = bearer(await service.addKey({ readOnly: true }))
    })
    afterAll(() => service.stop())

    function rows(of: Row[]): void {
      for (const { says, ask, status, code, message = [], ...asked } of of) {
        test(`${says}: ${status}${code ? ` ${code}` : ''}`, async () => {
          const [method = '', path = ''] = ask.split(' ')
          const answer = await service.request(method, path, asked)
          expect(answer.status).toBe(status)
          if (code !== undefined) expectError(answer, status, code, message)
        })
      }
    }

    describe('createPet', () => {
      const create = (
        says: string,
        body: string | Uint8Array<ArrayBuffer>,
        status: number,
        ...message: string[]
      ): Row => ({
        says,
        ask: 'POST /pets',
        body,
        headers: JSON_TYPE,
        status,
        ...(status === 400 ? { code: message.length > 0 ? 'invalid_pet' : 'malformed_json', message } : {}),
      })

      test('answers with the animal and its id', async () => {
        const { status, text, headers } = await service.post('{"name":"Mia","categoryId":5,"status":"sold"}', JSON_TYPE)
        expect(status).toBe(201)
        expect(text).toMatch(/^\{"id":[1-9][0-9]*,"name":"Mia","categoryId":5,"status":"sold"\}$/)
        expect(headers.has('Location')).toBe(false)
      })

      test('without a status the animal is available', async () => {
        expect((await service.post(PET, JSON_TYPE)).text).toEndWith('"status":"available"}')
      })

      for (const int64 of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
        test(`keeps categoryId ${int64} from wire to disk and back`, async () => {
          const created = await service.post(`{"name":"Rex","categoryId":${int64}}`, JSON_TYPE)
          expect(created.text).toContain(`"categoryId":${int64},`)
          const id = /"id":(\d+)/.exec(created.text)?.[1]
          expect((await service.get(`/pets/${id}`)).text).toBe(created.text)
        })
      }

      for (const [written, meant] of [
        ['1.0', '1'],
        ['1e3', '1000'],
        ['-0', '0'],
        ['12.5e1', '125'],
        ['0e999999999999', '0'],
      ]) {
        test(`reads the categoryId ${written} as ${meant}`, async () => {
          const { text } = await service.post(`{"name":"Rex","categoryId":${written}}`, JSON_TYPE)
          expect(text).toContain(`"categoryId":${meant},`)
        })
      }

      rows([
        create('ignores an id and other unknown fields', '{"id":99,"__proto__":{},"name":"R","categoryId":1}', 201),
        create('takes a name of 255 code points', pet('\u{1F436}'.repeat(255)), 201),
        create('refuses a name of 256 code points', pet('a'.repeat(256)), 400, 'name must be 1 to 255 characters'),
        create('refuses an empty name', pet(''), 400, 'name must be 1 to 255 characters'),
        create('refuses a name of white space', pet(' \t\u3000'), 400, 'name must hold a character that is not white'),
        create(
          'refuses a very long name of white space at once',
          pet(' '.repeat(60_000)),
          400,
          'name must be 1 to 255',
        ),
        create('refuses U+0000 in a name', '{"name":"a\\u0000b","categoryId":1}', 400, 'no U+0000'),
        create('refuses a lone surrogate in a name', '{"name":"\\ud800","categoryId":1}', 400, 'well-formed'),
        create('refuses a name that is no string', '{"name":7,"categoryId":1}', 400, 'name must be a string.'),
        create('refuses a fraction', '{"name":"R","categoryId":1.5}', 400, 'categoryId must be an integer'),
        create(
          'refuses a string as categoryId',
          '{"name":"R","categoryId":"1"}',
          400,
          'categoryId must be an integer.',
        ),
        create('refuses 2^63', '{"name":"R","categoryId":9223372036854775808}', 400, 'to 9223372036854775807.'),
        create(
          'refuses a huge exponent',
          '{"name":"R","categoryId":1e999999999999999999999}',
          400,
          'categoryId must be',
        ),
        create(
          'refuses a small exponent',
          '{"name":"R","categoryId":1e-999999999}',
          400,
          'categoryId must be an integer',
        ),
        create(
          'refuses an unknown status',
          '{"name":"R","categoryId":1,"status":"Sold"}',
          400,
          'available, pending, sold',
        ),
        create('refuses a status of null', '{"name":"R","categoryId":1,"status":null}', 400, 'status must be one of'),
        create('names all problems at once', '{"status":1}', 400, 'name is', 'categoryId is required.', 'status must'),
        create('refuses an array', '[]', 400, 'The body must be a JSON object.'),
        create('refuses an empty body', '', 400),
        create('refuses what is no JSON', '{"name":"Rex",}', 400),
        create('refuses two values', `${PET}${PET}`, 400),
        create('refuses a name given twice', '{"name":"a","categoryId":1,"name":"b"}', 400),
        create('refuses a name given twice, once escaped', '{"name":"a","categoryId":1,"n\\u0061me":"b"}', 400),
        create('refuses invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 400),
        create('refuses a byte order mark', `\ufeff${PET}`, 400),
        create('takes nesting of 32', `{"name":"R","categoryId":1,"x":${nested(31)}}`, 201),
        create('refuses nesting of 33', `{"name":"R","categoryId":1,"x":${nested(32)}}`, 400),
        create('refuses nesting of 30 000 without trouble', nested(30_000), 400),
        create('takes a body of 64 KiB', pad(PET, 65_536), 201),
        { ...create('refuses more', pad(PET, 65_537), 413), code: 'body_too_large' },
        { ...create('refuses much more', pad(PET, 5_000_000), 413), code: 'body_too_large' },
      ])

      const typed = (says: string, headers: Record<string, string>, status: number): Row => ({
        ...create(says, new TextEncoder().encode(PET), status),
        headers,
        ...(status === 415 ? { code: 'unsupported_media_type' } : {}),
      })
      rows([
        typed('reads a body without Content-Type as JSON', {}, 201),
        typed('takes a charset of utf-8', { 'Content-Type': 'Application/JSON ; charset="UTF-8"' }, 201),
        typed('refuses another charset', { 'Content-Type': 'application/json; charset=latin1' }, 415),
        typed('refuses a second charset', { 'Content-Type': 'application/json; charset=utf-8; charset=utf-16' }, 415),
        typed('refuses another media type', { 'Content-Type': 'text/plain' }, 415),
        typed('refuses a media type that only begins so', { 'Content-Type': 'application/jsonx' }, 415),
        typed('refuses an empty media type', { 'Content-Type': ';' }, 415),
        typed('refuses any Content-Encoding', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 415),
        typed('refuses Content-Encoding identity', { ...JSON_TYPE, 'Content-Encoding': 'identity' }, 415),
      ])

      test('counts a chunked body as it arrives', async () => {
        const small = await service.post(chunks(PET.slice(0, 9), PET.slice(9)), JSON_TYPE)
        expect(small.status).toBe(201)
        const large = await service.post(chunks(...Array.from({ length: 70 }, () => ' '.repeat(1024))), JSON_TYPE)
        expectError(large, 413, 'body_too_large', [])
      })

      test('a body that does not arrive in time: 408 request_timeout', async () => {
        const impatient = await startService({ bodyTimeoutMs: 100 })
        const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
        expectError(await impatient.post(body, JSON_TYPE), 408, 'request_timeout', ['0.1 seconds'])
        await impatient.stop()
      })

      test('leaves who added an animal and when to the log, with a request id', async () => {
        const { headers, text } = await service.post(PET, JSON_TYPE)
        const line = JSON.parse(service.logged.at(-1) ?? '')
        expect(line).toMatchObject({ level: 'info', msg: 'createPet', keyId: '1', petId: /"id":(\d+)/.exec(text)?.[1] })
        expect(line.requestId).toBe(headers.get('X-Request-Id'))
        expect(service.logged.join('')).not.toContain(service.key.slice(10))
      })
    })

    describe('Idempotency-Key', () => {
      const under = (key: string, body = PET) => service.post(body, { ...JSON_TYPE, 'Idempotency-Key': key })
      const replayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed')

      test('the same key again: the first answer again, and no second animal', async () => {
        const first = await under('"one"')
        expect([first.status, replayed(first)]).toEqual([201, null])
        for (const key of ['"one"', 'one']) {
          const again = await under(key, '{ "status": "available", "categoryId": 7.0, "name": "Rex", "x": 1 }')
          expect([again.status, replayed(again), again.text]).toEqual([201, 'true', first.text])
        }
        expect((await under('"two"')).text).not.toBe(first.text)
      })

      test('a key that asked in vain is free', async () => {
        expect((await under('"three"', '{}')).status).toBe(400)
        expect(replayed(await under('"three"'))).toBeNull()
      })

      test('escapes are undone', async () => {
        const first = await under('"a\\\\b\\"c"')
        expect((await under('"a\\\\b\\"c"')).text).toBe(first.text)
        expect((await under('a\\b')).text).not.toBe(first.text)
      })

      test('keys of API keys do not meet', async () => {
        const first = await under('"four"')
        const other = await service.addKey()
        const second = await service.post(PET, { 'Idempotency-Key': '"four"', Authorization: `Bearer ${other}` })
        expect([second.status, replayed(second)]).toEqual([201, null])
        expect(second.text).not.toBe(first.text)
      })

      test('while the first request is running, the second: 409 idempotency_in_flight', async () => {
        const { promise: held, resolve: release } = Promise.withResolvers<void>()
        const slow = await startService({
          store: {
            ...service.store,
            createPetOnce: async (...creation) => {
              await held
              return service.store.createPetOnce(...creation)
            },
          },
        })
        const create = () => slow.post(PET, { 'Idempotency-Key': '"five"' })
        const racing = [create(), create()]
        expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
        release()
        const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
        expect((await create()).text).toBe(first?.text as string)
        await slow.server.stop(1_000)
      })

      const row = (says: string, key: string, status: number, code: string, body = PET): Row => ({
        says,
        ask: 'POST /pets',
        headers: { ...JSON_TYPE, 'Idempotency-Key': key },
        body,
        status,
        code,
        ...(status === 400 ? { message: ['Idempotency-Key must be one key'] } : {}),
      })
      const used = '"one"'
      rows([
        row('another name', used, 422, 'idempotency_mismatch', '{"name":"Max","categoryId":7}'),
        row('another category', used, 422, 'idempotency_mismatch', '{"name":"Rex","categoryId":8}'),
        row('another status', used, 422, 'idempotency_mismatch', '{"name":"Rex","categoryId":7,"status":"sold"}'),
        ...[
          '',
          '""',
          '"',
          '"a',
          'a"',
          '"a"b"',
          'a b',
          'a,b',
          '"a", "b"',
          '"\\a"',
          '"ä"',
          '"a";p=1',
          'x'.repeat(256),
        ].map((key) => row(`the key ${key.slice(0, 20)}`, key, 400, 'invalid_parameter')),
      ])

      test('255 characters are not too many', async () => {
        expect((await under(`"${'x'.repeat(255)}"`)).status).toBe(201)
      })
    })

    describe('listPets', () => {
      const ids = ({ text }: Answer): string[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id as string)
      const next = ({ headers }: Answer): string | undefined =>
        /^<\/v1(\/pets\?[^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1]

      async function follow(path: string): Promise<Answer[]> {
        const pages = [await service.get(path)]
        for (let link = next(pages[0] as Answer); link; link = next(pages.at(-1) as Answer)) {
          pages.push(await service.get(link))
        }
        return pages
      }

      test('twenty at most, oldest first', async () => {
        for (let n = 0; n < 25; n++) await service.post(PET, JSON_TYPE)
        const page = await service.get('/pets')
        expect(ids(page)).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 1)))
      })

      test('following the links shows every animal exactly once', async () => {
        const everything = (await follow('/pets?limit=100')).flatMap(ids)
        expect(everything.length).toBeGreaterThan(30)
        expect((await follow('/pets?limit=7')).flatMap(ids)).toEqual(everything)
        expect(new Set(everything).size).toBe(everything.length)
      })

      test('the link keeps limit and status', async () => {
        const pages = await follow('/pets?status=available&limit=3')
        expect(pages.length).toBeGreaterThan(3)
        for (const page of pages.slice(0, -1)) {
          expect(ids(page).length).toBe(3)
          expect(next(page)).toMatch(/^\/pets\?limit=3&status=available&cursor=[\w-]{15}$/)
        }
        expect(pages.map(({ text }) => text).join('')).not.toContain('sold')
      })

      test('the next list shows what a create has answered', async () => {
        const last = (await follow('/pets?limit=100')).at(-1) as Answer
        const { text } = await service.post(PET, JSON_TYPE)
        expect(ids((await follow('/pets?limit=100')).at(-1) as Answer)).toEqual([
          ...ids(last),
          ...ids({ ...last, text }),
        ])
      })

      test('a list that was answered before is not answered so once it has changed', async () => {
        for (const between of ['/pets/1', '/pets?limit=1', '/pets/none']) {
          const last = (await follow('/pets?limit=100')).at(-1) as Answer
          const { text } = await service.post(PET, JSON_TYPE)
          await service.get(between)
          const pages = await follow('/pets?limit=100')
          expect(ids(pages.at(-1) as Answer)).toEqual([...ids(last), ...ids({ ...last, text })])
        }
      })

      test('a list whose query was overtaken by a create is not given to those who ask afterwards', async () => {
        const { store } = service
        let overtaking = true
        const overtaken = await startService({
          store: {
            ...store,
            async listPets(filter) {
              const page = await store.listPets(filter)
              if (overtaking) await store.createPet({ name: 'Rex', categoryId: 1n, status: 'pending' }, 1n)
              return page
            },
          },
        })
        const count = async () => ids(await overtaken.get('/pets?status=pending&limit=100')).length
        const before = await count()
        overtaking = false
        expect(await count()).toBe(before + 1)
        await overtaken.server.stop(1_000)
      })

      rows([
        { says: 'limit 1', ask: 'GET /pets?limit=1', status: 200 },
        { says: 'limit 100', ask: 'GET /pets?limit=100', status: 200 },
        { says: 'every status', ask: 'GET /pets?status=pending', status: 200 },
        { says: 'an unknown parameter is ignored', ask: 'GET /pets?page=2&Limit=0', status: 200 },
        { says: 'a percent-encoded limit', ask: 'GET /pets?limit=%31%30', status: 200 },
        { says: 'a body is ignored', ask: 'GET /pets?', status: 200 },
      ])
      const bad = (query: string, ...message: string[]): Row => ({
        says: query,
        ask: `GET /pets?${query}`,
        status: 400,
        code: 'invalid_parameter',
        message,
      })
      rows([
        ...['0', '101', '1000000000000', '99999999999999999999'].map((limit) =>
          bad(`limit=${limit}`, 'limit must be an integer from 1 to 100'),
        ),
        ...['', '-1', '+5', '05', '5.0', '1e1', '0x10', 'ten', '5%20', '%EF%BC%95'].map((limit) =>
          bad(`limit=${limit}`, 'limit must be'),
        ),
        bad('limit=5&limit=5', 'limit must be given once.'),
        bad('status=', 'status must be one of available, pending, sold.'),
        bad('status=Sold', 'status must be'),
        bad('status=sold&status=sold', 'status must be given once.'),
        bad('limit=0&status=gone', 'limit must be', 'status must be'),
        ...['', 'x', 'AAAAAAAAAAEl7_9', 'AAAAAAAAAAEl7_8=', 'AAAAAAAAAAEl7_8A', '%00', '1'].map((cursor) =>
          bad(`cursor=${cursor}`, 'cursor must be'),
        ),
      ])
    })

    describe('getPet', () => {
      rows([
        { says: 'an animal', ask: 'GET /pets/1', status: 200 },
        { says: 'percent-encoded digits', ask: 'GET /pets/%31', status: 200 },
        ...['0', '-1', '999999999', '9223372036854775807', '-9223372036854775808'].map((id) => ({
          says: `no animal has ${id}`,
          ask: `GET /pets/${id}`,
          status: 404,
          code: 'not_found',
          message: [`No pet has id ${id}.`],
        })),
        ...['9223372036854775808', '1.0', '01', '+1', '1e0', 'x', '%20', '1%20', '-0', '%D9%A1', '1;2', '%00'].map(
          (id) => ({ says: `${id} is no id`, ask: `GET /pets/${id}`, status: 404, code: 'not_found' }),
        ),
      ])

      test('announces its removal on every answer', async () => {
        for (const path of ['/pets/1', '/pets/999999']) {
          const { headers } = await service.get(path)
          expect(headers.get('Deprecation')).toBe('@1764892800')
          expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
          expect(headers.get('Link')).toContain('</v1/pets?status=available>; rel="successor-version"')
          expect(headers.get('Link')).toContain('rel="deprecation"')
        }
      })

      test('is removed at the instant of its sunset, and not before', async () => {
        service.clock.at = SUNSET - 1
        expect((await service.get('/pets/1')).status).toBe(200)
        service.clock.at = SUNSET
        expectError(await service.get('/pets/1'), 410, 'operation_removed', ['2030-12-05', '/v1/pets?status=available'])
        expect((await service.get('/pets/1', { Authorization: '' })).status).toBe(401)
        service.clock.at = TODAY
      })

      test('goes on after its sunset where the operator has announced only', async () => {
        const patient = await startService({ enforceSunset: false })
        patient.clock.at = SUNSET + DAY_MS
        expect((await patient.get('/pets/1')).status).toBe(404)
        await patient.stop()
      })

      test('is counted, per key', async () => {
        const counted = await startService()
        await counted.get('/pets/1')
        await counted.get('/pets/2')
        await counted.get('/pets')
        await counted.server.stop(1_000)
        expect(await counted.store.listDeprecatedCalls()).toEqual([
          { keyId: 1n, operationId: 'getPet', calls: 2, lastAt: TODAY },
        ])
        await counted.store.close()
      })
    })

    describe('keys', () => {
      const OPERATIONS = ['GET /pets', 'POST /pets', 'GET /pets/1'] as const
      const refused = (says: string, header: string, code: string, message: string): Row[] =>
        OPERATIONS.map((ask) => ({
          says: `${ask} with ${says}`,
          ask,
          headers: { Authorization: header },
          status: 401,
          code,
          message: [message],
        }))
      const live = generateKey('production')
      rows([
        ...refused('no key', '', 'missing_api_key', 'Authorization: Bearer'),
        ...refused('another scheme', 'Basic Zm9vOmJhcg==', 'missing_api_key', 'Authorization: Bearer'),
        ...refused('a scheme alone', 'Bearer', 'missing_api_key', 'Authorization: Bearer'),
        ...refused('a key that is none', 'Bearer x', 'invalid_api_key', 'not an API key'),
        ...refused('an unknown key', `Bearer ${live}`, 'invalid_api_key', 'not known'),
        ...refused(
          'a mistyped key',
          `Bearer ${live.slice(0, -1)}${live.endsWith('0') ? '1' : '0'}`,
          'invalid_api_key',
          'mistyped',
        ),
        ...refused('a staging key', `Bearer ${generateKey('staging')}`, 'invalid_api_key', 'for staging'),
        ...refused('two keys in one line', `Bearer ${live} ${live}`, 'invalid_api_key', 'not an API key'),
      ])

      test('the challenge names an error only when a token was sent', async () => {
        const without = await service.get('/pets', { Authorization: '' })
        expect(without.headers.get('WWW-Authenticate')).toBe('Bearer realm="petstore"')
        const wrong = await service.get('/pets', bearer('x'))
        expect(wrong.headers.get('WWW-Authenticate')).toBe('Bearer realm="petstore", error="invalid_token"')
      })

      test('another scheme before a good key: 401, also after that key was taken', async () => {
        for (const scheme of ['Bearer', 'Apikey', 'bearer:', 'Bearer\t']) {
          const { status } = await service.get('/pets', { Authorization: `${scheme} ${service.key}` })
          expect({ scheme, status }).toEqual({ scheme, status: scheme === 'Bearer' ? 200 : 401 })
        }
      })

      test('the scheme is case-insensitive', async () => {
        expect((await service.get('/pets', { Authorization: `bEARER  ${service.key}` })).status).toBe(200)
      })

      test('a key elsewhere is not read', async () => {
        const headers = { Authorization: '', 'X-API-Key': service.key, Cookie: `key=${service.key}` }
        expect((await service.get(`/pets?api_key=${service.key}&access_token=${service.key}`, headers)).status).toBe(
          401,
        )
      })

      test('no refusal echoes the key', async () => {
        const { text } = await service.get('/pets', bearer(live))
        expect(text).not.toContain(live)
      })

      test('a read-only key lists and fetches, and adds nothing', async () => {
        expect((await service.get('/pets', readOnly)).status).toBe(200)
        expect((await service.get('/pets/1', readOnly)).status).toBe(200)
        expectError(await service.post(PET, readOnly), 403, 'read_only_key', ['only read'])
      })

      test('an expired key is refused from its moment on', async () => {
        const headers = bearer(await service.addKey({ expiresAt: TODAY + DAY_MS }))
        expect((await service.get('/pets', headers)).status).toBe(200)
        service.clock.at = TODAY + DAY_MS
        expectError(await service.get('/pets', headers), 401, 'invalid_api_key', ['expired'])
        service.clock.at = TODAY
      })

      test('a revoked key is refused at the next request', async () => {
        const headers = bearer(await service.addKey())
        expect((await service.get('/pets', headers)).status).toBe(200)
        await service.store.revokeKey((await service.store.listKeys()).at(-1)?.id as bigint)
        expectError(await service.get('/pets', headers), 401, 'invalid_api_key', ['revoked'])
      })
    })

    describe('conditional requests', () => {
      for (const path of ['/pets?limit=5', '/pets/1']) {
        test(`${path} is not sent again while it is the same`, async () => {
          const first = await service.get(path)
          const etag = first.headers.get('ETag') ?? ''
          expect(etag).toMatch(/^"[\w-]{22}\+?"$/)
          expect(first.headers.get('Cache-Control')).toBe('private, no-cache')
          for (const condition of [etag, `W/${etag}`, `"a,b", ${etag}`, '*']) {
            const again = await service.get(path, { 'If-None-Match': condition })
            expect(again.status).toBe(304)
            expect(again.headers.get('ETag')).toBe(etag)
            expect(again.headers.get('Link')).toBe(first.headers.get('Link'))
          }
          for (const condition of ['"x"', etag.slice(1, -1), '']) {
            expect((await service.get(path, { 'If-None-Match': condition })).status).toBe(200)
          }
        })
      }

      test('a last page that is no longer the last has another tag', async () => {
        const count = (await service.get('/pets?limit=100')).text.split('"id"').length - 1
        expect(count).toBeLessThan(100)
        const before = await service.get(`/pets?limit=${count}`)
        await service.post(PET, JSON_TYPE)
        const after = await service.get(`/pets?limit=${count}`, { 'If-None-Match': before.headers.get('ETag') ?? '' })
        expect(after.status).toBe(200)
        expect(after.text).toBe(before.text)
        expect(after.headers.has('Link')).toBe(true)
      })
    })

    describe('with PETSTORE_RATE_LIMIT', () => {
      let limited: Service
      beforeAll(async () => {
        limited = await startService({ store: service.store, rateLimit: { requests: 3, periodSeconds: 60 } })
      })
      afterAll(() => limited.server.stop(1_000))

      const limits = ({ headers }: Answer) => [headers.get('RateLimit'), headers.get('RateLimit-Policy')]

      test('a key may send so many at once, whatever they are answered, and is told what is left', async () => {
        const headers = bearer(await limited.addKey())
        const answers = [
          await limited.get('/pets', headers),
          await limited.get('/pets?limit=0', headers),
          await limited.get('/pets/0', headers),
        ]
        expect(answers.map(({ status }) => status)).toEqual([200, 400, 404])
        const policy = '"key";q=3;w=60'
        expect(answers.map(limits)).toEqual([
          ['"key";r=2;t=20', policy],
          ['"key";r=1;t=40', policy],
          ['"key";r=0;t=60', policy],
        ])
      })

      test('then every operation answers 429, other keys are served, and Retry-After says when it may again', async () => {
        const headers = bearer(await limited.addKey())
        for (let n = 0; n < 3; n++) await limited.get('/pets', headers)
        for (const [method, path] of [
          ['GET', '/pets'],
          ['POST', '/pets'],
          ['GET', '/pets/1'],
        ] as const) {
          const answer = await limited.request(method, path, { headers })
          expectError(answer, 429, 'rate_limited', ['3 requests in 60 seconds'])
          expect([answer.headers.get('Retry-After'), ...limits(answer)]).toEqual([
            '20',
            '"key";r=0;t=60',
            '"key";q=3;w=60',
          ])
        }
        expect((await limited.get('/pets', bearer(await limited.addKey()))).status).toBe(200)
        limited.clock.at += 20_000
        expect((await limited.get('/pets', headers)).status).toBe(200)
        expect((await limited.get('/pets', headers)).status).toBe(429)
      })

      test('it comes after the key and before the body', async () => {
        const headers = bearer(await limited.addKey({ readOnly: true }))
        for (let n = 0; n < 5; n++) expect((await limited.request('POST', '/pets', { headers })).status).toBe(403)
        const writing = { ...bearer(await limited.addKey()), 'Content-Type': 'text/plain' }
        for (let n = 0; n < 3; n++) expect((await limited.post('x', writing)).status).toBe(415)
        expect((await limited.post('x', writing)).status).toBe(429)
      })
    })

    test('without it there are no such fields', async () => {
      expect((await service.get('/pets')).headers.has('RateLimit')).toBe(false)
    })

    describe('failures of the store', () => {
      const OPERATIONS = ['GET /pets', 'POST /pets', 'GET /pets/1'] as const
      const failures = [
        [500, 'internal', () => new Error('secret words of a driver')],
        [503, 'unavailable', () => new PetstoreError('unavailable', 'Gone.', { cause: new Error('secret words') })],
        [503, 'storage_full', () => new PetstoreError('storage_full', 'Full.', { cause: new Error('secret words') })],
      ] as const
      // No real store fails in each of these ways on demand; test/store.*.test.ts shows how the real ones do.
      for (const [status, code, failure] of failures) {
        test(`${code} becomes ${status} on every operation, and is logged under its request id`, async () => {
          const failing = await startService({ store: failingStore(service.store, failure) })
          for (const ask of OPERATIONS) {
            const [method = '', path = ''] = ask.split(' ')
            const answer = await failing.request(method, path, method === 'POST' ? { body: PET } : {})
            expectError(answer, status, code, [])
            expect(answer.text).not.toContain('secret')
            expect(answer.headers.get('Retry-After')).toBe(status === 503 ? '1' : null)
            const line = JSON.parse(failing.logged.at(-1) ?? '')
            expect(line).toMatchObject({ level: 'error', code, requestId: answer.headers.get('X-Request-Id') })
            expect(line.err.message).toContain('secret words')
          }
          await failing.server.stop(1_000)
        })
      }
    })

    test('every answer that the contract declares was seen, and no other', () => {
      expect([...observed].sort()).toEqual(declaredAnswers().sort())
    })
  })
}

/** `code`, `message` and `status`, and nothing else. */
function expectError({ status, text, headers }: Answer, expected: number, code: string, message: string[]): void {
  expect(status).toBe(expected)
  const error = JSON.parse(text)
  expect(error).toEqual({ code, message: expect.any(String), status: expected })
  for (const part of message) expect(error.message).toContain(part)
  expect(headers.get('Content-Type')).toBe('application/json')
  expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
}

function failingStore(store: Store, failure: () => Error): Store {
  const fail = () => Promise.reject(failure())
  return { ...store, listPets: fail, createPet: fail, createPetOnce: fail, getPet: fail }
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}

function pet(name: string): string {
  return JSON.stringify({ name, categoryId: 1 })
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
