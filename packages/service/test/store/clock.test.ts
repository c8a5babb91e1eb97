// A clock that jumps under a service on SQLite, whose own clock decides: what has happened stays, and no pet is given twice.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { type Service, startService, TODAY } from '../../../../test/support/service.ts'

const HOUR_MS = 3_600_000
const DEADLINE_MS = 20_000
let service: Service

beforeAll(async () => {
  service = await startService({ address: temporaryFile('petstore.db') })
})
afterAll(() => service.stop())

async function newPet(): Promise<number> {
  return JSON.parse((await service.post(petBody())).text).id
}

/** The answer's status, and its order or Error. */
async function place(petId: number, { endsAt, key }: { endsAt?: number; key?: string } = {}) {
  const expiresAt = endsAt === undefined ? {} : { expiresAt: new Date(endsAt).toISOString() }
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key }
  const body = JSON.stringify({ petId, ...expiresAt })
  const { status, text } = await service.request('POST', '/store/orders', { headers, body })
  return { ...JSON.parse(text), http: status, text }
}

async function statusOf(id: number): Promise<string> {
  return JSON.parse((await service.get(`/store/orders/${id}`)).text).status
}

async function untilExpired(id: number): Promise<void> {
  for (const until = performance.now() + DEADLINE_MS; (await statusOf(id)) !== 'expired'; await Bun.sleep(20)) {
    expect(performance.now()).toBeLessThan(until)
  }
}

test('when the clock jumps forward, reservations end, and stay ended when it jumps back', async () => {
  const petId = await newPet()
  const reserved = await place(petId, { endsAt: TODAY + HOUR_MS })
  const open = await place(await newPet())
  service.clock.at = TODAY + 2 * HOUR_MS
  await untilExpired(reserved.id)
  const next = await place(petId)
  service.clock.at = TODAY
  expect([next.http, await statusOf(reserved.id), await statusOf(next.id)]).toEqual([201, 'expired', 'pending'])
  expect(await statusOf(open.id)).toBe('pending')
  expect((await place(petId)).code).toBe('pet_not_available')
})

test('when the clock jumps back, a reservation lasts until the clock reaches its end again, and can be completed before', async () => {
  const petId = await newPet()
  const reserved = await place(petId, { endsAt: TODAY + HOUR_MS })
  service.clock.at = TODAY - HOUR_MS
  expect((await place(petId)).code).toBe('pet_not_available')
  const post = (path: string) => service.request('POST', `/store/orders/${reserved.id}/${path}`)
  expect([(await post('complete')).status, (await post('return')).status]).toEqual([200, 200])
  const again = await place(petId, { endsAt: TODAY - HOUR_MS + 1 })
  expect(again.http).toBe(201)
  service.clock.at = TODAY
  await untilExpired(again.id)
})

test('when the clock jumps back, no change of an order is dated before the one it follows', async () => {
  const order = async (id: number) => JSON.parse((await service.get(`/store/orders/${id}`)).text)
  const post = (path: string) => service.request('POST', `/store/orders/${path}`)
  const [sold, cancelled, expired] = [await place(await newPet()), await place(await newPet()), await newPet()]
  service.clock.at = TODAY - 2 * HOUR_MS
  const overdue = await place(expired, { endsAt: TODAY - HOUR_MS })
  service.clock.at = TODAY - 3 * HOUR_MS
  expect((await post(`${sold.id}/complete`)).status).toBe(200)
  expect((await order(sold.id)).changedAt).toBe(sold.placedAt)
  service.clock.at = TODAY + HOUR_MS
  await untilExpired(overdue.id)
  expect((await post(`${sold.id}/return`)).status).toBe(200)
  const returned = await order(sold.id)
  expect(returned.changedAt).toBe(new Date(TODAY + HOUR_MS).toISOString())
  service.clock.at = TODAY - HOUR_MS
  await service.request('DELETE', `/store/orders/${cancelled.id}`)
  expect((await order(cancelled.id)).changedAt).toBe(cancelled.placedAt)
  service.clock.at = TODAY
})

test('an Idempotency-Key gives its first answer after the clock was set back, and after it jumped days ahead', async () => {
  const petId = await newPet()
  const first = await place(petId, { key: 'k' })
  for (const hours of [-48, 25, 49, 1000, 0]) {
    service.clock.at = TODAY + hours * HOUR_MS
    await newPet()
    expect(await place(petId, { key: 'k' })).toEqual(first)
  }
})
