// The transitions of an order: what the store reads for each, what it writes, and what it hands on. Which transition is refused is decided in
// packages/service/src/domain/decisions/, and tested there.

import { describe, expect, spyOn, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { noSuchOrder, notTransitioned } from '../../../src/domain/decisions/refusal-messages.ts'
import { petStatusOf, type RequestedTransition, TRANSITIONS } from '../../../src/domain/order-transitions.ts'
import type { Order, OrderCheck } from '../../../src/domain/orders.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import { type Fixture, MAX, METHODS, orderJson } from './fixture.ts'

const REFUSAL = new PetstoreError('precondition_failed', 'It has changed.')

export function transitions(fixture: Fixture): void {
  const { addPet, place, statusOf, orderThatIs, allOrders, expectInventoryIsExact } = fixture

  describe('a transition', () => {
    test.each(Object.keys(METHODS) as RequestedTransition[])(
      'to %s shows the order to its check, and changes order, pet and inventory once',
      async (to) => {
        const transition = METHODS[to]
        const order = await orderThatIs(TRANSITIONS[to].from[0])
        const seen: Order[] = []
        const refuse: OrderCheck = (found) => {
          seen.push(found)
          return REFUSAL
        }
        expect(await rejectionOf(fixture.store[transition](order.id, fixture.by, refuse))).toBe(REFUSAL)
        expect(seen[0]).toEqual(order)
        expect(await fixture.store.getOrder(order.id)).toEqual(order)
        const after = await fixture.store[transition](order.id, fixture.by, () => undefined)
        expect(after).toEqual({ ...order, status: to, changedAt: after.changedAt })
        expect(after.changedAt).toBeGreaterThanOrEqual(order.changedAt)
        expect(await fixture.store.getOrder(order.id)).toEqual(after)
        expect(await statusOf(order.petId)).toBe(petStatusOf(to))
        expect(await fixture.store[transition](order.id, fixture.by)).toEqual(after)
        await expectInventoryIsExact()
      },
    )

    test('is made once, also if its observer throws', async () => {
      const pets = await Promise.all([addPet(), addPet()])
      const warned = spyOn(process, 'emitWarning').mockImplementation(() => undefined)
      const reporting = spyOn(fixture.reported, 'push').mockImplementation(() => {
        throw new Error('planted')
      })
      const orders = await Promise.all(pets.map((petId) => place(petId))).finally(() => reporting.mockRestore())
      expect(orders.map(({ petId, status }) => [petId, status])).toEqual(pets.map((petId) => [petId, 'pending']))
      expect(warned).toHaveBeenCalled()
      warned.mockRestore()
    })

    test('that is not possible is refused, and changes nothing', async () => {
      const order = await orderThatIs('cancelled')
      const { code, message } = notTransitioned(order, 'completed')
      expect(await rejectionOf(fixture.store.completeOrder(order.id, fixture.by))).toMatchObject({ code, message })
      expect(await fixture.store.getOrder(order.id)).toEqual(order)
      for (const id of [0n, -1n, MAX, -(2n ** 63n)])
        expect(await rejectionOf(fixture.store.cancelOrder(id, fixture.by))).toMatchObject({
          code: 'not_found',
          message: noSuchOrder(id).message,
        })
    })

    test('makes the pet available for the next order, and leaves the ended order as it was', async () => {
      const petId = await addPet()
      const first = await fixture.store.cancelOrder((await place(petId)).id, fixture.by)
      const sold = await fixture.store.completeOrder((await place(petId)).id, fixture.by)
      const returned = await fixture.store.returnOrder(sold.id, fixture.by)
      const last = await place(petId)
      // A repeat does not touch the pet, which another order holds.
      expect(await fixture.store.cancelOrder(first.id, fixture.by)).toEqual(first)
      expect(await fixture.store.returnOrder(returned.id, fixture.by)).toEqual(returned)
      expect(await statusOf(petId)).toBe('pending')
      const listed = (await allOrders({ petId })).map(({ json }) => json)
      expect(listed).toEqual([first, returned, last].map(orderJson))
      await expectInventoryIsExact()
    })
  })
}
