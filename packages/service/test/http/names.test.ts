// `GET /names`: names with and without a key, and caching.

import { expect, test } from 'bun:test'
import { exchange } from '../../../../test/support/exchange.ts'
import { startService } from '../../../../test/support/service.ts'
import { INT64_MAX, INT64_MIN } from '../../../contract/src/int64.ts'
import { Names } from '../../src/domain/names.ts'
import { Metrics } from '../../src/observability/metrics.ts'

const metrics = new Metrics()
const categories = [
  { id: INT64_MAX, name: 'Dogs' },
  { id: INT64_MIN, name: 'כלבים "ו"' },
]
const names = new Names('Rex & Co', categories)
const service = await startService({ names, metrics, corsOrigins: ['https://shop.example'] })
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

test('handles origins, hosts, methods and metrics like other paths', async () => {
  const answer = await ask({ ...withKey, Origin: 'https://shop.example' })
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('https://shop.example')
  expect((await ask({ Origin: 'https://other.example' })).headers.has('Access-Control-Allow-Origin')).toBe(false)
  const { status } = await exchange(service.port, 'GET /names HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')
  expect(status).toBe(400)
  expect((await ask(withKey, 'POST')).status).toBe(405)
  expect(await metrics.text()).toMatch(/operation="\/names",.*status="200"/)
})
