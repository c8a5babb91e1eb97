// HTTP apart from the operations: methods, targets, Host, stop, health checks and unknown paths.

import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Exchanged, exchange } from '../../../../test/support/exchange.ts'
import { untilCount } from '../../../../test/support/metrics.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { startService } from '../../../../test/support/service.ts'
import { inTwoParts } from '../../../../test/support/slow-body.ts'
import { until } from '../../../../test/support/until.ts'
import { startAdmin } from '../../src/http/listen.ts'
import { Metrics } from '../../src/observability/metrics.ts'

const service = await startService()
await service.post(petBody())

const auth = () => `Authorization: Bearer ${service.key}`

test('OPTIONS of a page lists its methods without a key', async () => {
  const answer = await fetch(`${service.origin}/openapi.json`, { method: 'OPTIONS' })
  expect([answer.status, answer.headers.get('Allow'), await answer.text()]).toEqual([204, 'GET, HEAD, OPTIONS', ''])
})

// The runtime cannot build a URL from these hosts, and passes only the target. HTTP/1.0 needs no Host.
test.each(['1.1\r\nHost: a:99999', '1.1\r\nHost: %00', '1.1\r\nHost: 1.2.3.999', '1.0'])(
  'the query is read in a request of HTTP/%j',
  async (version) => {
    const head = `GET /v1/pets?limit=0 HTTP/${version}\r\n${auth()}\r\nConnection: close\r\n\r\n`
    expect((await exchange(service.port, head)).status).toBe(400)
  },
)

const hosted = (...hosts: string[]) =>
  exchange(
    service.port,
    `GET /v1/pets HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}${auth()}\r\nConnection: close\r\n\r\n`,
  )
function expectInvalidHost({ status, body, text }: Exchanged): void {
  const message = 'The Host header must be one host, with an optional port.'
  expect([status, JSON.parse(body)]).toEqual([400, { code: 'invalid_parameter', message, status: 400 }])
  expect(text).toMatch(/\r\nConnection: close\r\n/i)
}

test.each([
  ['petstore', 'petstore'],
  ['petstore', ''],
  ['', 'petstore'],
])('rejects two Host lines, %j and %j, with 400, and closes the connection', async (first, second) => {
  // The third response comes from the cache.
  for (let n = 0; n < 3; n++) expect((await hosted(first)).status).toBe(200)
  expectInvalidHost(await hosted(first, second))
})

const NONE = 'a b/c@d|a b|a@b|a/b|a?b|#|a:b|a:1:2|:80:|%|%zz|[::1|[]|[x]|é'.split('|')
const VALID = "petstore|PETS.example:8080|a:|127.0.0.1:1|[::1]|[::ffff:1.2.3.4]:80|a_-.~!$&'()*+;=%20".split('|')

test.each(NONE)('%j, even the second time', async (host) => {
  for (let n = 0; n < 2; n++) expectInvalidHost(await hosted(host))
})

test.each(VALID)('%j is valid', async (host) => {
  expect((await hosted(host)).status).toBe(200)
})

test('even if the same target is cached for a Host that the runtime cannot use in a URL', async () => {
  for (let n = 0; n < 3; n++) expect((await hosted(VALID.at(-1) as string)).status).toBe(200)
  for (const host of NONE) expect((await hosted(host)).status).toBe(400)
})

// If one of these fails because the runtime has gained the feature, update docs/operations.md.
describe('limits of the runtime, as documented in docs/operations.md', () => {
  const head = (first: string, ...lines: string[]) => `${[first, 'Host: a', auth(), ...lines].join('\r\n')}\r\n\r\n`
  const PET = petBody()
  const count = async () => JSON.parse((await service.get('/pets?limit=100')).text).length

  test('a pipelined request closes the connection, but the first request can be executed', async () => {
    const before = await count()
    const post = `${head('POST /v1/pets HTTP/1.1', `Content-Length: ${PET.length}`)}${PET}`
    expect((await exchange(service.port, post + head('GET /v1/pets HTTP/1.1'))).text).toBe('')
    expect(await count()).toBe(before + 1)
  })

  test('a client that closes its side before the response gets none; a retry with its key replays the create', async () => {
    const before = await count()
    const key = 'Idempotency-Key: "half-closed"'
    const post = (more: string) => head('POST /v1/pets HTTP/1.1', key, more, `Content-Length: ${PET.length}`) + PET
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect({ host: '127.0.0.1', port: service.port, allowHalfOpen: true }).on('error', reject)
      socket.on('data', (bytes) => (received += bytes)).on('end', () => resolve(received))
      socket.end(post('Accept: */*'))
    })
    expect(text).toBe('')
    await until('the pet is added', async () => (await count()) === before + 1)
    const again = await exchange(service.port, post('Connection: close'))
    expect([again.status, again.text.includes('Idempotency-Replayed: true')]).toEqual([201, true])
    expect(await count()).toBe(before + 1)
  })
})

test('a response before the body keeps the connection usable', async () => {
  const first = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nGET / abc`
  const second = `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${auth()}\r\nConnection: close\r\n\r\n`
  const late = { bytes: first.slice(-4) + second, afterMs: 500 }
  const { text } = await exchange(service.port, first.slice(0, -4), 2_000, late)
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
})

test('a stop responds to requests in flight, then closes', async () => {
  const metrics = new Metrics()
  const stopping = await startService({ metrics })
  const { promise: looked, resolve: sendRest } = Promise.withResolvers<void>()
  const asked = stopping.post(inTwoParts(petBody(), looked))
  await untilCount(metrics, 'answering', 1)
  const stopped = stopping.server.stop(30_000)
  const readiness = await exchange(stopping.port, 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(readiness.status).toBe(503)
  expect(readiness.text).toMatch(/\r\nConnection: close\r\n/)
  sendRest()
  const answer = await asked
  expect(answer.status).toBe(201)
  await stopped
  expect(await stopping.store.getPet(1n)).toBeDefined()
  await rejectionOf(fetch(stopping.url))
  await stopping.store.close()
})

test('/readyz fails if the store does not respond, but /healthz does not', async () => {
  const broken = await startService({ store: { ...service.store, ping: () => Promise.reject(new Error('gone')) } })
  expect((await fetch(`${broken.origin}/readyz`)).status).toBe(500)
  expect((await fetch(`${broken.origin}/healthz`)).status).toBe(200)
})

test('metrics can be served on IPv6', async () => {
  const admin = startAdmin('::1', 0, new Metrics())
  expect((await fetch(admin.url)).status).toBe(200)
  await admin.stop()
})
