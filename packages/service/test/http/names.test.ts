// `/names`: names with and without a key, caching, and changes.

import { describe, expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'
import { INT64_MAX, INT64_MIN } from '../../../contract/src/json.ts'
import { Names } from '../../src/domain/names.ts'
import { Metrics } from '../../src/observability/metrics.ts'

const metrics = new Metrics()
const categories = [
  { id: INT64_MAX, name: 'Dogs' },
  { id: INT64_MIN, name: 'כלבים "ו"' },
]
const names = new Names('Rex & Co', categories)
const service = await startService({ names, metrics })
const ask = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.origin}/names`, { method, headers })
const withKey = { Authorization: `Bearer ${service.key}` }

test('with a key, returns the names of the store and the categories, with exact ids', async () => {
  const answer = await ask(withKey)
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-cache'])
  expect(await answer.text()).toBe(
    '{"store":"Rex & Co","categories":[' +
      '{"id":9223372036854775807,"name":"Dogs"},{"id":-9223372036854775808,"name":"כלבים \\"ו\\""}]}',
  )
  const tag = answer.headers.get('ETag') as string
  const again = await ask({ ...withKey, 'If-None-Match': tag })
  expect([again.status, again.headers.get('ETag'), await again.text()]).toEqual([304, tag, ''])
  expect((await ask(withKey, 'HEAD')).headers.get('ETag')).toBe(tag)
})

test('without a key, returns only the name of the store, with a different entity tag', async () => {
  const answer = await ask()
  expect([answer.status, await answer.text()]).toEqual([200, '{"store":"Rex & Co"}'])
  const whole = (await ask(withKey)).headers.get('ETag') as string
  expect((await ask({ 'If-None-Match': whole })).status).toBe(200)
  expect((await ask({ 'If-None-Match': answer.headers.get('ETag') as string })).status).toBe(304)
})

test('rejects an invalid key with 401, without a name', async () => {
  for (const Authorization of [`Bearer ${service.key}x`, 'Basic eDp5', service.key]) {
    const answer = await ask({ Authorization })
    expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('Rex')])
  }
})

test('is measured, and lists its methods', async () => {
  const other = await ask(withKey, 'POST')
  expect([other.status, other.headers.get('Allow')]).toEqual([405, 'GET, HEAD, PUT, OPTIONS'])
  expect(await metrics.text()).toMatch(/operation="\/names",.*status="405"/)
})

describe('PUT /names', async () => {
  const own = await startService({ corsOrigins: ['https://shop.example'] })
  const readOnly = await own.addKey({ readOnly: true })
  const ended = await own.addKey({ expiresAt: 1 })
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
  const get = async () => {
    const answer = await fetch(`${own.origin}/names`, { headers: bearer(own.key) })
    return { tag: answer.headers.get('ETag') as string, text: await answer.text() }
  }
  const put = async (body: string, headers: Record<string, string> = {}, key = own.key) => {
    const sent = { ...(key && bearer(key)), 'Content-Type': 'application/json', ...headers }
    const answer = await fetch(`${own.origin}/names`, { method: 'PUT', body, headers: sent })
    const text = await answer.text()
    return { status: answer.status, tag: answer.headers.get('ETag'), text, headers: answer.headers }
  }
  const names = (...categories: [id: bigint | string, name: string][]) =>
    `{"store":"x","categories":[${categories.map(([id, name]) => `{"id":${id},"name":${JSON.stringify(name)}}`)}]}`

  test('replaces the names, orders them by id, returns what GET returns, and logs the key', async () => {
    const { tag, text } = await get()
    expect(text).toBe('{"store":"Petstore","categories":[],"nextId":1}')
    await own.post('{"name":"Rex","categoryId":41}')
    expect(await put(names([7n, 'Dogs']), { 'If-Match': tag })).toMatchObject({ status: 412 })
    const changed = await put(names([7n, ' Dogs'], [INT64_MIN, 'Cats']), { 'If-Match': (await get()).tag })
    expect([changed.status, changed.text]).toEqual([
      200,
      `{"store":"Petstore","categories":[{"id":${INT64_MIN},"name":"Cats"},{"id":7,"name":"Dogs"}],"nextId":42}`,
    ])
    expect(await get()).toEqual({ tag: changed.tag as string, text: changed.text })
    // The client lost the response and sends the same names with the old tag.
    expect((await put(names([7n, 'Dogs'], [INT64_MIN, 'Cats']), { 'If-Match': tag })).status).toBe(200)
    expect((await put(names([7n, 'Dogs']), { 'If-Match': tag })).status).toBe(412)
    const lines = own.logged.filter((line) => line.includes('setNames')).map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ msg: 'setNames', keyId: '1', categories: '2', requestId: expect.any(String) })
  })

  test('rejects requests without If-Match, with an invalid key or body, before and after it reads the body', async () => {
    const { tag, text } = await get()
    const match = { 'If-Match': tag }
    const code = async (answer: ReturnType<typeof put>) => {
      const { status, text } = await answer
      return [status, JSON.parse(text).code, JSON.parse(text).message]
    }
    expect((await code(put(names([1n, 'Birds'])))).slice(0, 2)).toEqual([428, 'precondition_required'])
    expect((await code(put('no JSON', match, readOnly))).slice(0, 2)).toEqual([403, 'read_only_key'])
    expect((await code(put('no JSON', match, ended))).slice(0, 2)).toEqual([401, 'invalid_api_key'])
    expect((await code(put('no JSON', match, ''))).slice(0, 2)).toEqual([401, 'missing_api_key'])
    expect((await code(put('no JSON', match))).slice(0, 2)).toEqual([400, 'malformed_json'])
    expect((await code(put(' '.repeat(512 * 1024 + 1), match))).slice(0, 2)).toEqual([413, 'body_too_large'])
    const many = Array.from({ length: 1_000 }, (_, n): [bigint, string] => [BigInt(n), `${n}`.padStart(60, 'x')])
    for (const [body, ...problems] of [
      ['[]', 'The body must be an object with the array categories.'],
      [names(...many, [5_000n, 'more']), 'There can be at most 1000 categories.'],
      [
        names(['1.5', 'Dogs'], [7n, ' '], [7n, '12']),
        '1.5 at [0]: id must',
        '7 at [1]: name must',
        'name must not be a number',
      ],
      [names([7n, 'Dogs'], [8n, 'DOGS'], [7n, 'x'.repeat(61)]), 'is also at [0]', 'The id 7 is also at [0].', 'not 61'],
      [names([7n, 'a\ud800']), 'must not contain control characters'],
    ] as const) {
      const [status, name, message] = await code(put(body as string, match))
      expect([status, name]).toEqual([400, 'invalid_names'])
      for (const problem of problems) expect(message).toContain(problem)
    }
    expect(await get()).toEqual({ tag, text })
    expect((await put(names(...many), match)).status).toBe(200)
  })

  test('is allowed for pages of other origins, and not if a file has the names', async () => {
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PUT' }
    const preflight = await fetch(`${own.origin}/names`, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('PUT')
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('If-Match')
    const tag = (await ask(withKey)).headers.get('ETag') as string
    const answer = await fetch(`${service.origin}/names`, {
      method: 'PUT',
      body: names(),
      headers: { ...withKey, 'If-Match': tag },
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, 'names_in_file'])
  })
})
