// The end of reservations, whoever notices it first, and what is reported about the changes of orders.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import type { Order } from '../../../src/domain/orders.ts'
import { DAY_MS, type Fixture, SOON_MS } from './fixture.ts'

export function expiry(fixture: Fixture): void {
  const { addPet, place, statusOf, placeOverdue, expectInventoryIsExact, reported } = fixture

  describe('the end of a reservation', () => {
    test('is stored by any server, in batches', async () => {
      const orders = await placeOverdue(7)
      const open = await place(await addPet())
      const later = await place(await addPet(), { expiresAt: Date.now() + DAY_MS })
      expect(await fixture.store.getOrder(orders[0]?.id as bigint)).toMatchObject({ status: 'pending' })
      const pieces = []
      for (let n = 0; n < 4; n++) pieces.push(await fixture.store.expireOrders(3))
      expect(pieces.map(({ length }) => length)).toEqual([3, 3, 1, 0])
      expect(pieces.flat().sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        orders.map(({ id, petId }) => ({ id, petId })),
      )
      for (const order of orders) {
        const expired = (await fixture.store.getOrder(order.id)) as Order
        expect(expired).toEqual({ ...order, status: 'expired', changedAt: expired.changedAt })
        expect(expired.changedAt).toBeGreaterThanOrEqual(order.expiresAt as number)
        expect(await statusOf(order.petId)).toBe('available')
      }
      for (const { id } of [open, later]) expect(await fixture.store.getOrder(id)).toMatchObject({ status: 'pending' })
      await expectInventoryIsExact()
    })

    test('is stored once when many servers do it at the same time', async () => {
      await placeOverdue(20)
      const pieces = await Promise.all(Array.from({ length: 10 }, () => fixture.store.expireOrders(7)))
      expect(new Set(pieces.flat().map(({ id }) => id)).size).toBe(20)
      expect(pieces.flat().length).toBe(20)
      await expectInventoryIsExact()
    })

    test('a completed order does not expire', async () => {
      const petId = await addPet()
      const order = await place(petId, { expiresAt: Date.now() + SOON_MS })
      const completed = await fixture.store.completeOrder(order.id, fixture.by)
      // While others are overdue, too.
      await placeOverdue(1)
      reported.length = 0
      expect(await fixture.store.completeOrder(order.id, fixture.by)).toEqual(completed)
      expect(await rejectionOf(place(petId))).toMatchObject({ code: 'pet_not_available' })
      expect(reported).toEqual([])
      await fixture.store.expireOrders(100)
      expect(await fixture.store.getOrder(order.id)).toEqual(completed)
      expect(await statusOf(petId)).toBe('sold')
    })
  })

  test('each change of an order is reported once, after its commit; an expiry during another call is reported, a repeat is not', async () => {
    const expired = (await placeOverdue(4)) as [Order, Order, Order, Order]
    const [completed, cancelled, replaced] = expired
    const petId = await addPet()
    reported.length = 0
    await rejectionOf(fixture.store.completeOrder(completed.id, fixture.by))
    await fixture.store.cancelOrder(cancelled.id, fixture.by)
    const next = await place(replaced.petId)
    await fixture.store.expireOrders(100)
    const key = crypto.randomUUID()
    const orders = []
    for (let n = 0; n < 2; n++) orders.push((await fixture.store.placeOrder({ petId }, fixture.by, key)).value)
    const { id } = orders[0] as Order
    await rejectionOf(fixture.store.placeOrder({ petId }, fixture.by))
    await rejectionOf(fixture.store.returnOrder(id, fixture.by))
    await Promise.all([
      fixture.store.completeOrder(id, fixture.by),
      fixture.store.completeOrder(id, fixture.by),
      fixture.store.completeOrder(id, fixture.by),
    ])
    for (let n = 0; n < 2; n++) await fixture.store.returnOrder(id, fixture.by)
    await fixture.store.cancelOrder(next.id, fixture.by)
    expect(reported.sort()).toEqual(
      [
        ...expired.map((order) => `order ${order.id}, pet ${order.petId}: expired`),
        ...['pending', 'completed', 'returned'].map((status) => `order ${id}, pet ${petId}: ${status}`),
        ...['pending', 'cancelled'].map((status) => `order ${next.id}, pet ${next.petId}: ${status}`),
      ].sort(),
    )
  })
}
