// Placing an order: what it takes and stores, and which pets it refuses.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { orderFilter } from '../../../../../test/support/lists.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { EXPIRY_DAYS_MAX, TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { noSuchPet, petNotAvailable } from '../../../src/domain/decisions/refusal-messages.ts'
import { DAY_MS, type Fixture, MAX, orderJson } from './fixture.ts'

export function placing(fixture: Fixture): void {
  const { addPet, place, statusOf, allOrders, expectInventoryIsExact } = fixture

  describe('placing an order', () => {
    test('reserves the pet, and gives back what was sent', async () => {
      const petId = await addPet('available', 'Mia "é" \u{1F436}')
      const begunAt = Date.now()
      const expiresAt = begunAt + DAY_MS + 7
      const { value, replayed } = await fixture.store.placeOrder(
        { petId, reference: 'till "3" \\ \u{1F436}', expiresAt },
        fixture.by,
      )
      expect(replayed).toBe(false)
      const { id, placedAt } = value
      expect(value).toEqual({
        id,
        petName: 'Mia "é" \u{1F436}',
        status: 'pending',
        placedAt,
        changedAt: placedAt,
        petId,
        reference: 'till "3" \\ \u{1F436}',
        expiresAt,
      })
      expect(Math.abs(placedAt - begunAt)).toBeLessThan(10_000)
      expect(Number.isSafeInteger(placedAt)).toBe(true)
      expect(await fixture.store.getOrder(id)).toEqual(value)
      expect(await statusOf(petId)).toBe('pending')
      await expectInventoryIsExact()
    })

    test('refuses a pet that does not exist', async () => {
      for (const petId of [0n, -1n, MAX, -(2n ** 63n)]) {
        expect(await rejectionOf(place(petId))).toMatchObject({
          code: 'pet_not_found',
          message: noSuchPet(petId).message,
        })
      }
    })

    test('refuses a pet that is not available, and says why', async () => {
      const expiresAt = Date.now() + DAY_MS
      const [until, held, sold] = (await Promise.all([addPet(), addPet(), addPet()])) as [bigint, bigint, bigint]
      const orders = [await place(until, { expiresAt }), await place(held), await place(sold)] as const
      await fixture.store.completeOrder(orders[2].id, fixture.by)
      const [pendingAlone, soldAlone] = [await addPet('pending'), await addPet('sold')]
      const before = await fixture.store.getInventory()
      for (const [id, status, holder] of [
        [until, 'pending', orders[0]],
        [held, 'pending', orders[1]],
        [sold, 'sold', orders[2]],
        [pendingAlone, 'pending', undefined],
        [soldAlone, 'sold', undefined],
      ] as const) {
        const { code, message } = petNotAvailable({ id, status }, holder)
        expect(await rejectionOf(place(id))).toMatchObject({ code, message })
        expect((await allOrders({ petId: id })).length).toBeLessThan(2)
      }
      expect(await fixture.store.getInventory()).toEqual(before)
    })

    test('keeps every text and every millisecond exactly, and lists them as JavaScript writes them', async () => {
      const text = fc
        .string({ unit: 'binary', minLength: 1, maxLength: TEXT_LENGTH_MAX })
        .filter((name) => /^\s*[^\s\0][^\0]*$/u.test(name))
      const ahead = fc.integer({ min: 60_000, max: (EXPIRY_DAYS_MAX - 1) * DAY_MS })
      await fc.assert(
        fc.asyncProperty(text, text, ahead, async (name, reference, ms) => {
          const petId = await addPet('available', name)
          const order = await place(petId, { reference, expiresAt: Date.now() + ms })
          expect(order).toMatchObject({ petName: name, reference })
          expect(await fixture.store.getOrder(order.id)).toEqual(order)
          expect((await fixture.store.listOrders(orderFilter({ limit: 1, petId }))).json).toBe(`[${orderJson(order)}]`)
        }),
        {
          numRuns: 40,
          examples: [
            ['\u{1F436}'.repeat(TEXT_LENGTH_MAX), '\\u0000', 60_000],
            ["'; --", '\u007f\u2028\u0001', 999_999],
          ],
        },
      )
    })
  })
}
