// Lists of orders: their order, filters and pages.

import { describe, expect, test } from 'bun:test'
import { orderFilter } from '../../../../../test/support/lists.ts'
import { expectPages, quarter } from '../../../../../test/support/paging.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { type Fixture, MAX } from './fixture.ts'

export function lists(fixture: Fixture): void {
  const { addPet, place, orderThatIs, allOrders } = fixture

  describe('a list of orders', () => {
    test('filters by status and by pet', async () => {
      const petId = await addPet()
      await fixture.store.cancelOrder((await place(petId)).id, fixture.by)
      await fixture.store.returnOrder(
        (await fixture.store.completeOrder((await place(petId)).id, fixture.by)).id,
        fixture.by,
      )
      await place(petId)
      for (const status of ORDER_STATUSES) await orderThatIs(status)
      const everything = await allOrders({ limit: 100 })
      const ofPet = everything.filter(({ json }) => json.includes(`"petId":${petId}`))
      expect(ofPet.length).toBe(3)
      expect(await allOrders({ petId, limit: 1 })).toEqual(ofPet)
      for (const status of ORDER_STATUSES) {
        const isIt = ({ json }: { json: string }) => json.includes(`"status":"${status}"`)
        expect(everything.filter(isIt).length).toBeGreaterThan(0)
        expect(await allOrders({ status, limit: 50 })).toEqual(everything.filter(isIt))
        expect(await allOrders({ status, petId, limit: 1 })).toEqual(ofPet.filter(isIt))
      }
      for (const none of [0n, -1n, MAX]) expect(await allOrders({ petId: none })).toEqual([])
    })

    test('goes forth and back, from the oldest and from the newest, with each filter', async () => {
      const petId = await addPet()
      for (let n = 0; n < 4; n++) await fixture.store.cancelOrder((await place(petId)).id, fixture.by)
      const held = await place(petId)
      const everything = await allOrders({ limit: 100 })
      for (const of of [undefined, petId])
        for (const status of [undefined, 'cancelled', 'pending'] as const)
          for (const sort of ['oldest', 'newest'] as const) {
            const isIt = ({ json }: { json: string }) =>
              (!of || json.includes(`"petId":${of}`)) && (!status || json.includes(`"status":"${status}"`))
            const ids = everything.filter(isIt).map(({ id }) => id)
            expect(ids).toContain(status === 'cancelled' ? held.id - 1n : held.id)
            if (sort === 'newest') ids.reverse()
            for (const limit of [2, 7, quarter(ids)].filter((one) => ids.length < 20 * one))
              await expectPages(ids, limit, (place) =>
                fixture.store.listOrders(orderFilter({ limit, status, petId: of, sort, ...place })),
              )
          }
    })
  })
}
