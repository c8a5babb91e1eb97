// Writes by an API key that was revoked or has expired before they are committed: each is refused, and nothing of it stays.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { type KeyId, refusedKey } from '../../../src/domain/keys.ts'
import { type Fixture, SOON_MS } from './fixture.ts'

export function endedKeys(fixture: Fixture): void {
  const { newKey, addPet, place, orderThatIs, waitUntil, allPets, allOrders, expectInventoryIsExact } = fixture

  /** Each write, ready to be sent. The last two are replays. */
  async function writesOf(by: KeyId): Promise<Record<string, () => Promise<unknown>>> {
    const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
    const [petId, keyed, pending] = [await addPet(), await addPet(), await place(await addPet())]
    const sold = await orderThatIs('completed')
    await fixture.store.createPet(pet, by, 'of a pet')
    await fixture.store.placeOrder({ petId: keyed }, by, 'of an order')
    return {
      createPet: () => fixture.store.createPet(pet, by),
      placeOrder: () => fixture.store.placeOrder({ petId }, by),
      completeOrder: () => fixture.store.completeOrder(pending.id, by),
      cancelOrder: () => fixture.store.cancelOrder(pending.id, by, () => undefined),
      returnOrder: () => fixture.store.returnOrder(sold.id, by),
      updateOrder: () => fixture.store.updateOrder(pending.id, { reference: 'x' }, by),
      updatePet: () => fixture.store.updatePet(petId, { name: 'x' }, by),
      deletePet: () => fixture.store.deletePet(petId, by),
      'createPet again': () => fixture.store.createPet(pet, by, 'of a pet'),
      'placeOrder again': () => fixture.store.placeOrder({ petId: keyed }, by, 'of an order'),
    }
  }
  const everything = async () => JSON.stringify([await allPets(), await allOrders()], (_, value) => String(value))

  describe('a write by a key that has ended', () => {
    for (const [state, end] of [
      ['revoked', async (by: KeyId) => fixture.store.revokeKey(by)],
      ['expired', async (by: KeyId) => endSoon(by)],
    ] as const) {
      test(`because it was ${state} is refused, a replay and a repeat, too`, async () => {
        const by = await newKey()
        const writes = await writesOf(by)
        await end(by)
        const before = await everything()
        for (const ask of Object.values(writes)) {
          expect(await rejectionOf(ask())).toEqual(refusedKey(state))
        }
        expect(await everything()).toBe(before)
        await expectInventoryIsExact()
      })
    }

    test('that was removed by hand is refused like one that never existed', async () => {
      const pet = { name: 'Mia', categoryId: 1n, status: 'sold' } as const
      expect(await rejectionOf(fixture.store.createPet(pet, 999_999n))).toEqual(refusedKey('unknown'))
    })
  })

  async function endSoon(by: KeyId): Promise<void> {
    const at = Date.now() + SOON_MS
    await fixture.store.endKey(by, at)
    await waitUntil(at)
  }
}
