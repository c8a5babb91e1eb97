// Network faults of a service in practice: what the client sees, and what the store then has.

import { afterAll, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { exchange } from '../../../test/support/exchange.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { type Fault, startPetstore } from '../../testing/testing.ts'

const store = await startPetstore({ practice: true })
beforeEach(() => store.reset())
afterAll(() => store.stop())

const REX = '{"name":"Rex","categoryId":7}'
const KEY = 'one-till-1'

/** Sends one request on a new connection, without a client that would handle failures. */
function ask(method: string, path: string, body = '', headers: Record<string, string> = {}) {
  const { hostname, port, pathname } = new URL(store.url)
  const length = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const sent = { Host: hostname, Authorization: `Bearer ${store.apiKey}`, ...length, Connection: 'close', ...headers }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  return exchange(Number(port), `${method} ${pathname}${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const list = () => ask('GET', '/pets')
const add = () => ask('POST', '/pets', REX, { 'Idempotency-Key': KEY })
const LOST = { text: '', closed: true, error: undefined }
const PET = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}'

test('an error is returned as often as requested, and its requests do not reach the service', async () => {
  await store.fail({ operation: 'createPet', times: 2, status: 503, retryAfter: 7 })
  const [first, read, second, third] = [await add(), await list(), await add(), await add()]
  expect([first, read, second, third].map(({ status }) => status)).toEqual([503, 200, 503, 201])
  expect(first.text).toContain('Retry-After: 7\r\n')
  expect(JSON.parse(first.body)).toMatchObject({ code: 'unavailable', status: 503 })
  expect(read.body).toBe('[]')
})

test('an error has the status of its code', async () => {
  await store.fail({ code: 'rate_limited' })
  const answer = await list()
  const limited = expect.objectContaining({ code: 'rate_limited', status: 429 })
  expect([answer.status, JSON.parse(answer.body)]).toEqual([429, limited])
})

test('a fault with `every` applies to every nth request until the reset', async () => {
  await store.fail({ every: 2, status: 500 })
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push((await list()).status)
  expect(statuses).toEqual([200, 500, 200, 500, 200])
  await store.reset()
  expect([(await list()).status, (await list()).status]).toEqual([200, 200])
})

test('a fault with `rate` applies to the same requests on every machine and in every version', async () => {
  await store.fail({ rate: 0.3, seed: 1, status: 500 })
  await store.fail({ rate: 0.3, seed: 2, status: 503 })
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await list()).status)
  expect(statuses).toEqual([200, 200, 500, 200, 200, 200, 200, 500, 503, 500, 200, 200])
})

test('a fault follows the fault added before it', async () => {
  await store.fail({ status: 500 })
  await store.fail({ status: 503 })
  expect([await list(), await list(), await list()].map(({ status }) => status)).toEqual([500, 503, 200])
})

test('a connection that is cut with cut: after, the change is committed, and the client gets nothing', async () => {
  await store.fail({ operation: 'createPet', cut: 'after' })
  expect(await add()).toMatchObject(LOST)
  expect((await list()).body).toBe(`[${PET}]`)
  // The create returns the same pet again for the same key.
  const again = await add()
  expect([again.status, again.body, (await list()).body]).toEqual([201, PET, `[${PET}]`])
})

test('a connection that is cut with cut: before, nothing is changed', async () => {
  await store.fail({ operation: 'createPet', cut: 'before' })
  expect(await add()).toMatchObject(LOST)
  expect((await list()).body).toBe('[]')
})

test('a connection can be cut with a reset', async () => {
  await store.fail({ cut: 'after', reset: true })
  expect(await list()).toMatchObject({ ...LOST, error: 'ECONNRESET' })
})

test('a truncated response ends in the middle of its body', async () => {
  await store.fail({ operation: 'createPet', truncate: 10 })
  const answer = await add()
  const isWhole = answer.text.includes(`Content-Length: ${PET.length}\r\n`)
  expect([answer.body, isWhole]).toEqual([PET.slice(0, 10), true])
})

test('a response with latencyMs arrives late', async () => {
  await store.fail({ latencyMs: 300 })
  const startedAt = performance.now()
  expect((await list()).status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThan(290)
})

test('a response only reaches a client that half-closed its connection, not one that closed it', async () => {
  await store.fail({ latencyMs: 100, times: 2 })
  const send = () => {
    const socket = connect({ port: Number(new URL(store.url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${store.apiKey}\r\n\r\n`)
    return socket
  }
  const [ending, leaving] = [send(), send()]
  let text = ''
  const isOver = new Promise((resolve) => ending.on('data', (piece) => (text += piece)).on('end', resolve))
  await Bun.sleep(30)
  ending.end()
  leaving.destroy()
  await isOver
  expect(text).toStartWith('HTTP/1.1 200 ')
  const answers = async () => (await store.report()).requests.map(({ answer }) => answer).sort()
  for (let n = 0; n < 100 && (await answers()).includes('waiting'); n++) await Bun.sleep(10)
  expect(await answers()).toEqual([200, 'left'])
})

test('a response with drip arrives slowly and complete', async () => {
  await add()
  await store.fail({ operation: 'listPets', drip: 1000 })
  const answer = await list()
  expect(answer.pieces).toBeGreaterThan(1)
  expect(answer.body).toBe(`[${PET}]`)
})

test('a slow response ends with its last byte, so a client that retries immediately has not waited', async () => {
  await store.fail({ status: 503, retryAfter: 1, drip: 200 })
  for (let n = 0; n < 2; n++) await list()
  const { lessons } = await store.report()
  expect(lessons.find(({ id }) => id === 'waits.retry-after')?.outcome).toBe('missed')
})

test('a response with a contract fault can get a network fault, too', async () => {
  await store.lie('pets.create.success')
  await store.fail({ operation: 'createPet', cut: 'after' })
  expect((await add()).text).toBe('')
  expect((await list()).body).toBe(`[${PET}]`)
})

test('unknown adds a field to a response, and changes the type of an event and the code of an error', async () => {
  await store.fail({ unknown: true, times: 2 })
  expect(JSON.parse((await add()).body)).toEqual({ ...JSON.parse(PET), unknown: 'unknown' })
  const [event] = JSON.parse((await ask('GET', '/store/events')).body)
  expect(event).toMatchObject({ id: expect.any(Number), type: 'unknown.type', petId: 1 })
  await store.fail({ unknown: true, status: 503 })
  const answer = await list()
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([503, { code: 'unknown_code', status: 503 }])
  expect((await list()).body).toBe(`[${PET}]`)
})

test('each member of a fault is in docs/practice.md and in a test', async () => {
  const { message } = await rejectionOf(store.fail({ none: 1 } as Fault))
  const names = message.replace(/^.*It can have |\.$/g, '').split(', ')
  const [, page = ''] = readFileSync(join(import.meta.dir, '../../../docs/practice.md'), 'utf8').split(/^## /m)
  const tests = readFileSync(import.meta.path, 'utf8')
  expect(names.filter((name) => !page.includes(`\`${name}\``) || !tests.includes(`${name}: `))).toEqual([])
})

test.each([
  ['does nothing', {}, 'A fault needs one of status'],
  ['has an unknown member', { statuss: 503 }, 'A fault has no statuss.'],
  ['has a member of every object', { constructor: 1 }, 'A fault has no constructor.'],
  ['is of an unknown operation', { operation: 'addPet', status: 503 }, 'operation must be one of listPets,'],
  ['is no error', { status: 200 }, 'status must be an integer from 400 to 599.'],
  ['has an unknown code', { code: 'no' }, 'code must be one of '],
  ['applies to no request', { status: 503, times: 0 }, 'times must be an integer from 1.'],
  ['cuts elsewhere', { cut: 'between' }, 'cut must be one of before, after.'],
  ['cuts an error', { cut: 'after', status: 503 }, 'With cut there is no response'],
  ['resets nothing', { reset: true, status: 503 }, 'reset needs cut or truncate.'],
  ['has a rate over 1', { rate: 1.5, status: 503 }, 'rate must be a number from 0 to 1.'],
  ['has rate and every', { rate: 0.5, every: 2, status: 503 }, 'rate and every cannot be combined.'],
  ['has a seed without a rate', { seed: 1, status: 503 }, 'seed needs rate.'],
  ['has an unknown that is no boolean', { unknown: 1 }, 'unknown must be true or false.'],
  ['has retryAfter without an error', { retryAfter: 1, cut: 'after' }, 'retryAfter needs status or code.'],
])('rejects a fault that %s', async (_name, fault, message) => {
  expect(await rejectionOf(store.fail(fault as Fault))).toMatchObject({ message: expect.stringContaining(message) })
  expect((await list()).status).toBe(200)
})
