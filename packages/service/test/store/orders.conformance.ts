// What every store promises of orders (packages/service/src/domain/orders.ts), as tests. A store's own test file calls this with a way to open it.
// Times are real: on PostgreSQL the database's clock decides.

import { describe, expect, test } from 'bun:test'
import { newKey } from '../../../../test/support/keys.ts'
import { orderFilter } from '../../../../test/support/lists.ts'
import { newPet } from '../../../../test/support/pets.ts'
import type { Store, StoreOptions } from '../../src/domain/store.ts'
import { corrections } from './orders/corrections.ts'
import { endedKeys } from './orders/ended-keys.ts'
import { expiry } from './orders/expiry.ts'
import { MAX, openFixture, PET_STATUSES } from './orders/fixture.ts'
import { idempotencyKeys } from './orders/idempotency-keys.ts'
import { lists } from './orders/lists.ts'
import { placing } from './orders/placing.ts'
import { together } from './orders/together.ts'
import { transitions } from './orders/transitions.ts'

/** Each call gives a store with nothing in it. */
export function ordersConformance(name: string, open: (options: StoreOptions) => Promise<Store>): void {
  describe(`${name} keeps the promises of a store of orders`, () => {
    const fixture = openFixture(open)
    const { addPet, expectInventoryIsExact } = fixture

    test('an empty store has no orders and counts nothing, and ids begin at 1', async () => {
      const empty = await open({ now: Date.now })
      expect(await empty.listOrders(orderFilter({ limit: 20 }))).toEqual({
        json: '[]',
        next: undefined,
        prev: undefined,
      })
      expect(await empty.getInventory()).toEqual({ available: 0n, pending: 0n, sold: 0n })
      expect(await empty.expireOrders(10)).toEqual([])
      for (const id of [1n, 0n, -1n, MAX, -(2n ** 63n)]) expect(await empty.getOrder(id)).toBeUndefined()
      const { id: by } = await empty.createKey(newKey())
      const { value: pet } = await empty.createPet(newPet(), by)
      expect((await empty.placeOrder({ petId: pet.id }, by)).value.id).toBe(1n)
      await empty.close()
    })

    placing(fixture)
    transitions(fixture)
    idempotencyKeys(fixture)
    endedKeys(fixture)
    corrections(fixture)
    together(fixture)
    lists(fixture)
    expiry(fixture)

    test('the inventory counts every pet, however it was added and moved', async () => {
      for (const status of PET_STATUSES) await Promise.all([addPet(status), addPet(status)])
      await expectInventoryIsExact()
    })
  })
}
