// Changes of orders that arrive together: each is made whole or refused, and none affects another.

import { describe, expect, test } from 'bun:test'
import { type Fixture, MAX, type Method } from './fixture.ts'

export function together(fixture: Fixture): void {
  const { addPet, place, statusOf, allOrders, expectInventoryIsExact } = fixture

  describe('requests that arrive together', () => {
    test('reserve a pet once', async () => {
      const petId = await addPet()
      const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => place(petId)))
      const winners = outcomes.filter(({ status }) => status === 'fulfilled')
      expect(winners.length).toBe(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'pet_not_available' })
      }
      expect((await allOrders({ petId })).length).toBe(1)
      await expectInventoryIsExact()
    })

    test('complete or cancel an order, and never both', async () => {
      for (const order of ['completeOrder', 'cancelOrder'] as const) {
        const { id, petId } = await place(await addPet())
        const racing: readonly Method[] = Array.from({ length: 40 }, (_, n) =>
          n % 2 ? order : order === 'completeOrder' ? 'cancelOrder' : 'completeOrder',
        )
        const outcomes = await Promise.allSettled(racing.map((transition) => fixture.store[transition](id, fixture.by)))
        const won = new Set(racing.filter((_, n) => outcomes[n]?.status === 'fulfilled'))
        expect(won.size).toBe(1)
        const completed = won.has('completeOrder')
        expect((await fixture.store.getOrder(id))?.status).toBe(completed ? 'completed' : 'cancelled')
        expect(await statusOf(petId)).toBe(completed ? 'sold' : 'available')
      }
      await expectInventoryIsExact()
    })

    test('are done although others of them are refused', async () => {
      const pets = await Promise.all(Array.from({ length: 30 }, () => addPet()))
      const outcomes = await Promise.allSettled(
        pets.flatMap((petId, n) => [
          place(petId, { reference: `r${n}` }),
          n % 2 ? place(MAX) : fixture.store.completeOrder(MAX, fixture.by),
          addPet(),
        ]),
      )
      for (const [n, { status }] of outcomes.entries()) expect(status).toBe(n % 3 === 1 ? 'rejected' : 'fulfilled')
      for (const [n, petId] of pets.entries()) {
        expect((await allOrders({ petId })).map(({ json }) => json.includes(`"reference":"r${n}"`))).toEqual([true])
      }
      await expectInventoryIsExact()
    })

    test('place orders of many pets, each for its own pet, in order', async () => {
      const pets = await Promise.all(Array.from({ length: 600 }, () => addPet()))
      const orders = await Promise.all(pets.map((petId) => place(petId)))
      expect(orders.map(({ petId }) => petId)).toEqual(pets)
      expect(new Set(orders.map(({ id }) => id)).size).toBe(600)
      const completed = await Promise.all(orders.map(({ id }) => fixture.store.completeOrder(id, fixture.by)))
      expect(completed.every(({ status }) => status === 'completed')).toBe(true)
      expect(completed.map(({ id }) => id)).toEqual(orders.map(({ id }) => id))
      await expectInventoryIsExact()
    })
  })
}
