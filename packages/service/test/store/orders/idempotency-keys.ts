// An idempotency key of an order: its first answer is kept, and given again. Which requests it belongs to is decided in
// packages/service/src/domain/decisions/replays.ts, and tested there.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { DAY_MS, type Fixture } from './fixture.ts'

export function idempotencyKeys(fixture: Fixture): void {
  const { newKey, addPet, place, allOrders } = fixture

  describe('an idempotency key', () => {
    test('gives the first answer again, even when the order and the pet have changed', async () => {
      const order = { petId: await addPet(), reference: 'r "1"', expiresAt: Date.now() + DAY_MS }
      const first = await fixture.store.placeOrder(order, fixture.by, 'o1')
      expect(first.replayed).toBe(false)
      const again = async () => {
        expect(await fixture.store.placeOrder({ ...order }, fixture.by, 'o1')).toEqual({
          value: first.value,
          replayed: true,
        })
      }
      await again()
      await fixture.store.cancelOrder(first.value.id, fixture.by)
      await place(order.petId)
      await again()
      expect((await allOrders({ petId: order.petId })).length).toBe(2)
      expect(await rejectionOf(fixture.store.placeOrder({ petId: order.petId }, fixture.by, 'o1'))).toMatchObject({
        code: 'idempotency_mismatch',
      })
    })

    test('of a create gives the pet as it was added, after an order has moved it', async () => {
      const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
      const first = await fixture.store.createPet(pet, fixture.by, 'o3')
      await place(first.value.id)
      expect(await fixture.store.createPet(pet, fixture.by, 'o3')).toEqual({ value: first.value, replayed: true })
    })

    test('belongs to one API key, to all its operations, and to no request that was refused', async () => {
      const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
      const { value } = await fixture.store.createPet(pet, fixture.by, 'o5')
      const mismatch = { code: 'idempotency_mismatch' }
      const order = { petId: value.id }
      expect(await rejectionOf(fixture.store.placeOrder(order, fixture.by, 'o5'))).toMatchObject(mismatch)
      await fixture.store.placeOrder(order, fixture.by, 'o6')
      expect(await rejectionOf(fixture.store.createPet(pet, fixture.by, 'o6'))).toMatchObject(mismatch)
      const other = await newKey()
      expect(await rejectionOf(fixture.store.placeOrder(order, other, 'o6'))).toMatchObject({
        code: 'pet_not_available',
      })
      expect((await fixture.store.placeOrder({ petId: await addPet() }, other, 'o6')).replayed).toBe(false)
    })

    test('sent many times at once places one order', async () => {
      const petId = await addPet()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => fixture.store.placeOrder({ petId }, fixture.by, 'o8')),
      )
      expect((await allOrders({ petId })).length).toBe(1)
      const { value } = await fixture.store.placeOrder({ petId }, fixture.by, 'o8')
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'idempotency_in_flight' })
        else expect(outcome.value.value).toEqual(value)
      }
    })
  })
}
