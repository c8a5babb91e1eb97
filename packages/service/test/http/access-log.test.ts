// The access log, request ids, client addresses, and the count of invalid keys.

import { expect, test } from 'bun:test'
import { petBody } from '../../../../test/support/pets.ts'
import { type ServiceOptions, startService } from '../../../../test/support/service.ts'
import type { ErrorCode } from '../../../contract/src/generated.ts'
import { Context, type RoutedRequest } from '../../src/http/context.ts'
import { type ObserverOptions, Observers } from '../../src/http/reports.ts'
import { NO_ROUTE } from '../../src/http/response/response.ts'
import { clientAddress } from '../../src/observability/client-address.ts'
import { createLog } from '../../src/observability/log.ts'
import { Metrics } from '../../src/observability/metrics.ts'

type Line = Record<string, unknown>

async function logging(options: ServiceOptions) {
  const service = await startService(options)
  const lines = (msg = 'request') =>
    service.logged.map((line): Line => JSON.parse(line)).filter((line) => line.msg === msg)
  return { ...service, lines }
}

/** Observers that get responses to one request, from these addresses. */
function recorded(options: Partial<ObserverOptions>, address = () => '10.0.0.1') {
  const lines: Line[] = []
  const log = createLog('info', { destination: { write: (line) => lines.push(JSON.parse(line)) } })
  const requestIP = () => ({ address: address(), family: 'IPv4' as const, port: 1 })
  const observers = new Observers({ log, ...options }, () => ({ requestIP }))
  const respond = (status: number, times: number, code?: ErrorCode) => {
    for (let n = 0; n < times; n++) {
      const context = new Context(new Request('http://a/v1/pets') as RoutedRequest, NO_ROUTE, 'none', 0)
      context.code = code
      observers.observe({ status, body: null }, new Response(null, { status }), context)
    }
  }
  return { lines, respond, close: () => observers.close() }
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

test('the access log has each rejected response, which leads to its line', async () => {
  const service = await logging({ accessLog: 'errors' })
  await service.get('/pets')
  // No proxy is trusted by default.
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'X-Forwarded-For': '1.2.3.4' }
  const answers = [
    await service.get('/pets?limit=0&search=secret', headers),
    await service.get('/pets', { Authorization: '' }),
    await service.request('GET', '/store/orders/7?secret'),
    await service.request('GET', '/nothing?secret'),
    await service.post('secret'),
  ]
  const lineOf = ({ headers }: { headers: Headers }) =>
    service.lines().filter(({ requestId }) => requestId === headers.get('X-Request-Id'))
  expect(answers.map((answer) => lineOf(answer).length)).toEqual([1, 1, 1, 1, 1])
  const [wrong, keyless, missing, unknown, body] = service.lines()
  const { text, headers: sent } = answers[0] as (typeof answers)[0]
  expect(wrong).toEqual({
    level: 'info',
    time: expect.any(String),
    msg: 'request',
    method: 'GET',
    operation: 'listPets',
    path: '/v1/pets',
    status: 400,
    code: 'invalid_parameter',
    durationMs: expect.any(Number),
    bytes: text.length,
    keyId: '1',
    client: '127.0.0.1',
    requestId: sent.get('X-Request-Id'),
    traceId: TRACE,
  })
  expect(wrong?.durationMs).toBeGreaterThan(0)
  expect(keyless).toMatchObject({ operation: 'listPets', status: 401, code: 'missing_api_key' })
  expect(keyless).not.toHaveProperty('keyId')
  expect(missing).toMatchObject({ operation: 'getOrder', path: '/v1/store/orders/7', status: 404 })
  expect(unknown).toMatchObject({ path: '/v1/nothing', status: 404, code: 'not_found' })
  expect(unknown).not.toHaveProperty('operation')
  expect(body).toMatchObject({ method: 'POST', operation: 'createPet', code: 'malformed_json' })
  expect(service.logged.join('')).not.toContain('secret')
})

test('the access log never has a key, even one in the path or sent as a request id', async () => {
  const service = await logging({ accessLog: 'all' })
  await service.get('/pets', { 'X-Request-Id': service.key })
  await service.get(`/pets/${service.key}`)
  await service.get(`/${service.key}/${service.key}?key=${service.key}`)
  expect(service.lines().map(({ path }) => path)).toEqual(['/v1/pets', '/v1/pets/…', '/v1/…'])
  expect(service.logged.join('')).not.toContain(service.key)
})

test('the access log with all, has every response with the bytes of its body and adds X-Request-Id', async () => {
  const service = await logging({ accessLog: 'all' })
  await service.post(petBody({ name: 'Größe' }))
  const { headers, text } = await service.get('/pets')
  await service.get('/pets', { 'If-None-Match': headers.get('ETag') as string })
  await service.request('HEAD', '/pets')
  const cached = await service.get('/pets')
  await service.request('OPTIONS', '/pets')
  const lines = service.lines()
  expect(lines.map(({ status, bytes }) => [status, bytes])).toEqual([
    [201, Buffer.byteLength(text) - 2],
    [200, Buffer.byteLength(text)],
    [304, 0],
    [200, 0],
    [200, Buffer.byteLength(text)],
    [204, 0],
  ])
  expect(cached.headers.get('X-Request-Id')).toMatch(UUID)
  expect(lines[4]?.requestId).toBe(cached.headers.get('X-Request-Id'))
})

test('the access log with off, has nothing', async () => {
  const service = await logging({ accessLog: 'off' })
  await service.get('/nothing')
  expect(service.lines()).toEqual([])
})

test('the access log with errors, has at most 10 lines per status and second, and counts the rest', () => {
  const { lines, respond, close } = recorded({ accessLog: 'errors' })
  respond(404, 1_000)
  respond(503, 5)
  close()
  close()
  const logged = (status: number) => lines.filter((line) => line.status === status).length
  // A second can end between the requests.
  expect([10, 20]).toContain(logged(404))
  expect(logged(503)).toBe(5)
  expect(lines.filter(({ msg }) => msg !== 'request')).toMatchObject([
    { msg: 'requests without a line', statuses: { 404: 1_000 - logged(404) } },
  ])
})

test('X-Request-Id is returned unchanged if it is valid, even by a cached list, logged, and otherwise replaced', async () => {
  const service = await logging({ accessLog: 'errors' })
  const idOf = async (path: string, id: string) =>
    (await service.get(path, { 'X-Request-Id': id })).headers.get('X-Request-Id')
  const valid = 'Till-3:order/7'
  for (const path of ['/pets', '/pets', '/pets', '/pets?limit=0', '/nothing', '/store/inventory'])
    expect([path, await idOf(path, valid)]).toEqual([path, valid])
  expect(service.lines().map(({ requestId }) => requestId)).toEqual([valid, valid])
  for (const id of ['a b', 'a"b', 'ü', 'x'.repeat(129), 'a, b'])
    expect([id, await idOf('/pets?limit=0', id)]).toEqual([id, expect.stringMatching(UUID)])
})

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8']
// biome-ignore format: a table
const CASES: [peer: string, forwarded: string | undefined, client: string][] = [
  ['203.0.113.9', undefined, '203.0.113.9'],
  ['203.0.113.9', '1.2.3.4', '203.0.113.9'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', '1.2.3.4', '1.2.3.4'],
  ['::ffff:10.1.2.3', '1.2.3.4', '1.2.3.4'],
  ['fd00::1', '2001:db8::1', '2001:db8::1'],
  ['10.1.2.3', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['10.1.2.3', '6.6.6.6, 1.2.3.4,192.0.2.7', '1.2.3.4'],
  ['10.1.2.3', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
  ['10.1.2.3', '1.2.3.4:5678', '1.2.3.4'],
  ['10.1.2.3', '[2001:db8::1]:443', '2001:db8::1'],
  ['10.1.2.3', '1.2.3.4, unknown, 10.8.8.8', '10.8.8.8'],
  ['192.0.2.8', '1.2.3.4', '192.0.2.8'],
]
test.each(CASES)('%s with X-Forwarded-For %p is %s', (peer, forwarded, client) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
  expect(clientAddress(PROXIES, () => ({ address: peer }))(new Request('http://a/', { headers }))).toBe(client)
})

test('invalid keys are counted by the address of the client, without the key', async () => {
  const metrics = new Metrics()
  const service = await logging({ trustedProxies: ['127.0.0.1'], metrics })
  const ask = (client: string, key: string) =>
    service.get('/pets', { Authorization: `Bearer ${key}`, 'X-Forwarded-For': client })
  for (let n = 0; n < 3; n++) await ask('1.2.3.4', `guess${n}`)
  await ask('5.6.7.8', 'guess')
  await ask('5.6.7.8', service.key)
  await service.get('/pets', { Authorization: '' })
  expect(await metrics.text()).toContain('\npetstore_invalid_keys_total 4\n')
  await service.stop()
  expect(service.lines('invalid API keys')).toMatchObject([
    { level: 'warn', client: '1.2.3.4', requests: 3 },
    { level: 'warn', client: '5.6.7.8', requests: 1 },
  ])
  expect(service.logged.join('')).not.toContain('guess')
})

test('invalid keys of more than 100 addresses a minute are counted together', () => {
  let client = 0
  const { lines, respond, close } = recorded({}, () => `10.0.0.${client++}`)
  respond(401, 1_000, 'invalid_api_key')
  close()
  close()
  expect(lines.length).toBe(101)
  expect(lines.at(-1)).toMatchObject({ client: 'other addresses', requests: 900 })
})
