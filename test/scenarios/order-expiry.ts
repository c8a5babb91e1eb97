// That a reservation ends by itself, and that nothing depends on when: by the database's clock on PostgreSQL, by the test's on SQLite,
// which here follow the same time. `unswept` is a service that expires nothing by itself.

import { beforeAll, expect, test } from 'bun:test'
import type { Service } from '../support/service.ts'
import { describeApi, expectError, type OnStore } from './api.ts'
import { after, type OrderBody, ordersOf, turnToNow } from './orders.ts'

const RESERVED_MS = 800
const DEADLINE_MS = 20_000

export function orderExpiry(on: OnStore): void {
  describeApi('a reservation that expires by itself', on, (api) => {
    const { read, placed, petStatus, get } = ordersOf(api)

    test('is expired, its pet is available, and the inventory says so', async () => {
      turnToNow(api)
      const before = (await get('/store/inventory')).text
      const orders: OrderBody[] = []
      for (let n = 0; n < 3; n++) orders.push(await placed({ expiresAt: after(RESERVED_MS) }))
      for (const order of orders) {
        const now = await until(async () => {
          turnToNow(api)
          const one: OrderBody = JSON.parse((await read(order.id)).text)
          return one.status === 'pending' ? undefined : one
        })
        expect(now).toEqual({ ...order, status: 'expired', changedAt: expect.any(String) })
        expect(now.changedAt >= (order.expiresAt as string)).toBe(true)
        expect(await petStatus(order.petId)).toBe('available')
      }
      const { available, pending, sold } = JSON.parse((await get('/store/inventory')).text)
      const { available: was } = JSON.parse(before)
      expect({ available, pending, sold }).toEqual({ available: was + 3, pending: 0, sold: 0 })
      const logged = api.service.logged
        .filter((line) => line.includes('"expireOrders"'))
        .map((line) => JSON.parse(line))
      for (const { id, petId } of orders) {
        expect(logged).toContainEqual(
          expect.objectContaining({ orderId: String(id), petId: String(petId), status: 'expired' }),
        )
      }
    })
  })

  describeApi('a reservation that is overdue and not swept yet', on, (inner) => {
    let unswept: Service
    const api = {
      ...inner,
      get service() {
        return unswept
      },
    }
    const { read, complete, cancel, placed, place, petStatus, newPet, request } = ordersOf(api)
    beforeAll(async () => {
      unswept = await inner.start({ expiryEveryMs: 2 ** 31 - 1 })
      turnToNow(api)
    })

    /** An order whose time has passed, and which still says pending. */
    async function overdue(key?: string): Promise<OrderBody> {
      turnToNow(api)
      const body = { petId: await newPet(), expiresAt: after(RESERVED_MS) }
      const answer = await place(body, key ? { 'Idempotency-Key': key } : {})
      expect(answer.status).toBe(201)
      await Bun.sleep(RESERVED_MS + 50)
      turnToNow(api)
      return JSON.parse(answer.text)
    }
    const statusOf = async ({ id }: OrderBody) => JSON.parse((await read(id)).text).status

    test('is pending when it is read', async () => {
      expect(await statusOf(await overdue())).toBe('pending')
    })

    test('cannot be completed: 409 order_not_pending', async () => {
      const order = await overdue()
      expectError(await complete(order.id), 409, 'order_not_pending', [`Order ${order.id} is expired`])
      expect(await petStatus(order.petId)).not.toBe('sold')
    })

    test('is expired when it is cancelled: 204', async () => {
      const order = await overdue()
      expect((await cancel(order.id)).status).toBe(204)
      expect([await statusOf(order), await petStatus(order.petId)]).toEqual(['expired', 'available'])
    })

    test('does not hold its pet: another order expires it and takes the pet', async () => {
      const order = await overdue()
      const next = await placed({ petId: order.petId })
      expect([await statusOf(order), await statusOf(next)]).toEqual(['expired', 'pending'])
    })

    test('cannot be completed, returned once it is expired; cancelling it changes nothing', async () => {
      const order = await overdue()
      await cancel(order.id)
      const before = (await read(order.id)).text
      expect((await cancel(order.id, { 'If-Match': '"x"' })).status).toBe(204)
      expectError(await complete(order.id), 409, 'order_not_pending', [`Order ${order.id} is expired`])
      const returned = await request(`POST /store/orders/${order.id}/return`)
      expectError(returned, 409, 'order_not_completed', [`Order ${order.id} is expired`])
      expect((await read(order.id)).text).toBe(before)
    })

    test('is replayed with its first answer, although its expiresAt has passed', async () => {
      const order = await overdue('"late"')
      const body = { petId: order.petId, expiresAt: order.expiresAt }
      const again = await place(body, { 'Idempotency-Key': '"late"' })
      expect([again.status, JSON.parse(again.text)]).toEqual([201, order])
      expect(again.headers.get('Location')).toBe(`/v1/store/orders/${order.id}`)
    })
  })
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  const endsAt = Date.now() + DEADLINE_MS
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > endsAt) throw new Error(`not within ${DEADLINE_MS} ms`)
    await Bun.sleep(50)
  }
}
