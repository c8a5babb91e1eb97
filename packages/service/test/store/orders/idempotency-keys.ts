// What an idempotency key promises for orders.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { DAY_MS, type Fixture, MAX, SOON_MS } from './fixture.ts'

export function idempotencyKeys(fixture: Fixture): void {
  const { newKey, addPet, place, statusOf, waitUntil, allOrders } = fixture

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
      await fixture.store.completeOrder(first.value.id, fixture.by)
      await again()
      await fixture.store.returnOrder(first.value.id, fixture.by)
      await again()
      await place(order.petId)
      await again()
      expect((await allOrders({ petId: order.petId })).length).toBe(2)
    })

    test('is recognised after the end of the reservation has passed', async () => {
      const order = { petId: await addPet(), expiresAt: Date.now() + SOON_MS }
      const first = await fixture.store.placeOrder(order, fixture.by, 'o2')
      await waitUntil(order.expiresAt)
      expect(await fixture.store.placeOrder(order, fixture.by, 'o2')).toEqual({ value: first.value, replayed: true })
      await fixture.store.expireOrders(100)
      expect(await fixture.store.placeOrder(order, fixture.by, 'o2')).toEqual({ value: first.value, replayed: true })
    })

    test('of a create gives the pet as it was added, after an order has moved it', async () => {
      const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
      const first = await fixture.store.createPet(pet, fixture.by, 'o3')
      const { id } = await place(first.value.id)
      expect(await fixture.store.createPet(pet, fixture.by, 'o3')).toEqual({ value: first.value, replayed: true })
      await fixture.store.completeOrder(id, fixture.by)
      expect(await fixture.store.createPet(pet, fixture.by, 'o3')).toEqual({ value: first.value, replayed: true })
    })

    test('with another request is refused before anything else, and changes nothing', async () => {
      const order = { petId: await addPet(), reference: 'r', expiresAt: Date.now() + DAY_MS }
      await fixture.store.placeOrder(order, fixture.by, 'o4')
      const other = await addPet()
      for (const changed of [
        { ...order, petId: other },
        { ...order, petId: MAX },
        { ...order, reference: 'R' },
        { ...order, expiresAt: order.expiresAt + 1 },
        { ...order, expiresAt: 1 },
        { petId: order.petId, reference: 'r' },
        { petId: order.petId, expiresAt: order.expiresAt },
      ]) {
        expect(await rejectionOf(fixture.store.placeOrder(changed, fixture.by, 'o4'))).toMatchObject({
          code: 'idempotency_mismatch',
        })
      }
      expect(await statusOf(other)).toBe('available')
    })

    test('belongs to one API key, and to all its operations', async () => {
      const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
      const { value } = await fixture.store.createPet(pet, fixture.by, 'o5')
      expect(await rejectionOf(fixture.store.placeOrder({ petId: value.id }, fixture.by, 'o5'))).toMatchObject({
        code: 'idempotency_mismatch',
      })
      await fixture.store.placeOrder({ petId: value.id }, fixture.by, 'o6')
      expect(await rejectionOf(fixture.store.createPet(pet, fixture.by, 'o6'))).toMatchObject({
        code: 'idempotency_mismatch',
      })
      const order = { petId: await addPet() }
      expect((await fixture.store.placeOrder(order, await newKey(), 'o6')).replayed).toBe(false)
    })

    test('can be used again after a refusal', async () => {
      const petId = await addPet()
      const { id } = await place(petId)
      expect(await rejectionOf(fixture.store.placeOrder({ petId }, fixture.by, 'o7'))).toMatchObject({
        code: 'pet_not_available',
      })
      await fixture.store.cancelOrder(id, fixture.by)
      expect((await fixture.store.placeOrder({ petId }, fixture.by, 'o7')).replayed).toBe(false)
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
