// That an expiry is logged, and that nothing depends on when it is swept: by the database's clock on PostgreSQL, by the test's on SQLite,
// which here follow the same time. `unswept` is a service that expires nothing by itself.

import { beforeAll, expect, test } from 'bun:test'
import type { Service } from '../../../../../test/support/service.ts'
import { describeApi, expectError, type OnStore } from './api.ts'
import { after, type OrderBody, ordersOf, turnToNow } from './orders.ts'

const RESERVED_MS = 800
const DEADLINE_MS = 20_000

export function orderExpiry(on: OnStore): void {
  describeApi('a reservation that expires by itself', on, (api) => {
    const { read, placed } = ordersOf(api)

    test('is logged with its pet', async () => {
      turnToNow(api)
      const { id, petId } = await placed({ expiresAt: after(RESERVED_MS) })
      await until(async () => {
        turnToNow(api)
        return JSON.parse((await read(id)).text).status === 'pending' ? undefined : true
      })
      const logged = api.service.logged
        .filter((line) => line.includes('"expireOrders"'))
        .map((line) => JSON.parse(line))
      expect(logged).toContainEqual(
        expect.objectContaining({ orderId: String(id), petId: String(petId), status: 'expired' }),
      )
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
    const { read, complete, cancel, placed, place, petStatus, newPet } = ordersOf(api)
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
