// The clock of a service in practice: its effect on reservations, keys and times, and its reset.

import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { startPetstore } from '../../testing/testing.ts'

const HOUR_MS = 3_600_000
/** Generous, because the machine can be busy. */
const LATE_MS = 60_000

const store = await startPetstore({ practice: true })
beforeEach(() => store.reset())
afterAll(() => store.stop())

const get = (path: string) => fetch(store.url + path, { headers: { Authorization: `Bearer ${store.apiKey}` } })
async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const { apiKey, url } = store
  const sent = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', ...headers }
  const answer = await fetch(url + path, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
  return (await answer.json()) as { id: number; placedAt?: string }
}
const add = (key: string) => post('/pets', { name: 'Rex', categoryId: 7 }, { 'Idempotency-Key': key })
const expectNear = (instant: string | null | undefined, at: number) =>
  expect(Math.abs(Date.parse(instant ?? '') - at)).toBeLessThan(LATE_MS)

test('a reservation expires on time, and later orders have the new time, until the reset', async () => {
  await add('one')
  const expiresAt = new Date(Date.now() + 24 * HOUR_MS).toISOString()
  const { id } = await post('/store/orders', { petId: 1, expiresAt })
  expect(await (await get(`/store/orders/${id}`)).json()).toMatchObject({ status: 'pending' })
  expectNear(await store.clock.advance('25h'), Date.now() + 25 * HOUR_MS)
  let status: unknown
  while (status !== 'expired') ({ status } = (await (await get(`/store/orders/${id}`)).json()) as { status: unknown })
  expectNear((await post('/store/orders', { petId: 1 })).placedAt, Date.now() + 25 * HOUR_MS)
  expectNear((await get('/pets')).headers.get('Date'), Date.now() + 25 * HOUR_MS)
  await store.reset()
  expectNear((await get('/pets')).headers.get('Date'), Date.now())
})

test('an Idempotency-Key is valid for a day, and forgotten after days with other keys', async () => {
  const { id } = await add('one')
  await store.clock.advance('23h')
  expect((await add('one')).id).toBe(id)
  for (const other of ['two', 'three', 'four', 'five']) {
    await store.clock.advance('24h')
    await add(other)
  }
  expect((await add('one')).id).toBeGreaterThan(id)
})

test('an API key expires on time', async () => {
  const apiKey = await store.createKey({ expires: '90d', readOnly: true })
  const ask = (method: string) =>
    fetch(`${store.url}/pets`, { method, headers: { Authorization: `Bearer ${apiKey}` } }).then(({ status }) => status)
  expect([await ask('GET'), await ask('POST')]).toEqual([200, 403])
  await store.clock.advance('89d')
  expect(await ask('GET')).toBe(200)
  await store.clock.advance('1d')
  expect(await ask('GET')).toBe(401)
  expect((await get('/pets')).status).toBe(200)
})

test('rejects times in the past, and invalid times and durations', async () => {
  const message = async (work: Promise<string>) => (await rejectionOf(work)).message
  expect(await message(store.clock.set('2020-01-01T00:00:00Z'))).toBe('The clock only goes forward until the reset.')
  expect(await message(store.clock.set('2030-02-30T00:00:00Z'))).toContain('A time is a date-time')
  expect(await message(store.clock.set('99999'))).toContain('A time is a date-time')
  expect(await message(store.clock.advance('1 day'))).toContain('A duration is a number')
  expect(await message(store.createKey({ expires: 'soon' }))).toContain('A duration is a number')
  expect(await message(store.clock.advance('9999999999d'))).toBe('The clock ends with the year 9999.')
})
