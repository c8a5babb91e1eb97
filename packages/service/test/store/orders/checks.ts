// The precondition of a caller on a change of an order: when it is called, with what, and that a refusal changes nothing.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { leadsFrom, type RequestedTransition, TRANSITIONS } from '../../../src/domain/order-transitions.ts'
import type { Order, OrderCheck } from '../../../src/domain/orders.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import { type Fixture, METHODS, type Method } from './fixture.ts'

const REFUSAL = new PetstoreError('precondition_failed', 'It is not as I have seen it.')

export function checks(fixture: Fixture): void {
  const { addPet, place, placeOverdue, orderThatIs, expectInventoryIsExact, statusOf } = fixture

  describe('a check', () => {
    for (const to of Object.keys(METHODS) as RequestedTransition[]) {
      const move = METHODS[to]
      const [from] = TRANSITIONS[to].from
      test(`of ${move} gets the order as it is, and refuses it with its own error`, async () => {
        const order = await orderThatIs(from)
        const seen: Order[] = []
        const refuse: OrderCheck = (found) => {
          seen.push(found)
          return REFUSAL
        }
        expect(await rejectionOf(fixture.store[move](order.id, fixture.by, refuse))).toBe(REFUSAL)
        expect(seen.length).toBeGreaterThan(0)
        for (const found of seen) expect(found).toEqual(order)
        expect(await fixture.store.getOrder(order.id)).toEqual(order)
        const moved = await fixture.store[move](order.id, fixture.by, () => undefined)
        expect(await fixture.store.getOrder(order.id)).toEqual(moved)
        expect(moved.status).not.toBe(order.status)
      })

      test(`of ${move} does not change the answer where the order is in another status, or does not exist`, async () => {
        for (const status of ORDER_STATUSES.filter((one) => !leadsFrom(one, to))) {
          const { id } = await orderThatIs(status)
          const [checked, plain] = await Promise.allSettled([
            fixture.store[move](id, fixture.by, () => REFUSAL),
            fixture.store[move](id, fixture.by),
          ])
          expect(checked).toEqual(plain)
        }
        expect(await rejectionOf(fixture.store[move](0n, fixture.by, () => REFUSAL))).toMatchObject({
          code: 'not_found',
        })
      })
    }

    test('is not called for a reservation that is overdue', async () => {
      const [one, other] = (await placeOverdue(2)) as [Order, Order]
      expect(await fixture.store.cancelOrder(one.id, fixture.by, () => REFUSAL)).toMatchObject({ status: 'expired' })
      expect(await rejectionOf(fixture.store.completeOrder(other.id, fixture.by, () => REFUSAL))).toMatchObject({
        code: 'order_not_pending',
      })
      expect(await statusOf(other.petId)).toBe('available')
    })

    test('that refuses does not affect the others that arrive with it', async () => {
      const orders = await Promise.all(Array.from({ length: 30 }, async () => place(await addPet())))
      const outcomes = await Promise.allSettled([
        ...orders.map(({ id }, n) => fixture.store.completeOrder(id, fixture.by, n % 3 ? undefined : () => REFUSAL)),
        ...orders.map(({ id }, n) =>
          fixture.store.cancelOrder(id, fixture.by, n % 3 ? () => REFUSAL : () => undefined),
        ),
      ])
      const expected = orders.map((_, n) => (n % 3 ? 'completed' : 'cancelled'))
      const found = await Promise.all(orders.map(({ id }) => fixture.store.getOrder(id)))
      expect(found.map((order) => order?.status as string)).toEqual(expected)
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
        [...orders, ...orders].map((_, n) => n < 30 === n % 3 > 0),
      )
      await expectInventoryIsExact()
    })

    test('lets one of those win that want to change what they have seen', async () => {
      const order = await place(await addPet())
      const isAsSeen: OrderCheck = (found) => (Bun.deepEquals(found, order) ? undefined : REFUSAL)
      const racing = Array.from({ length: 40 }, (_, n): Method => (n % 2 ? 'completeOrder' : 'cancelOrder'))
      const outcomes = await Promise.allSettled(
        racing.map((move) => fixture.store[move](order.id, fixture.by, isAsSeen)),
      )
      const won = new Set(racing.filter((_, n) => outcomes[n]?.status === 'fulfilled'))
      expect(won.size).toBe(1)
      expect((await fixture.store.getOrder(order.id))?.status).toBe(
        won.has('completeOrder') ? 'completed' : 'cancelled',
      )
      await expectInventoryIsExact()
    })
  })
}
