// The bounds of a reservation's end, to the millisecond, in a store whose clock stands where the test has put it.

import { expect, test } from 'bun:test'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { EXPIRY_DAYS_MAX } from '../../../contract/src/generated.ts'
import type { KeyId } from '../../src/domain/keys.ts'
import type { Order } from '../../src/domain/orders.ts'
import type { Store } from '../../src/domain/store.ts'

const NOW = 1_800_000_000_000
const FURTHEST = NOW + EXPIRY_DAYS_MAX * 86_400_000

interface StoreWithClock {
  store: Store
  by: KeyId
  setClock(at: number): Promise<void>
}

export function exactTimes(open: () => Promise<StoreWithClock>): void {
  test('the end of a reservation is exact to the millisecond', async () => {
    const { store, by, setClock } = await open()
    await setClock(NOW)
    const place = async (expiresAt: number) => {
      const { value: pet } = await store.createPet(newPet({ status: 'available' }), by)
      return (await store.placeOrder({ petId: pet.id, expiresAt }, by)).value
    }
    for (const expiresAt of [NOW, FURTHEST + 1]) {
      expect(await rejectionOf(place(expiresAt))).toMatchObject({ code: 'invalid_order' })
    }
    expect(await place(FURTHEST)).toMatchObject({ placedAt: NOW, expiresAt: FURTHEST })
    const orders = await Array.fromAsync({ length: 5 }, () => place(NOW + 2))
    const [completed, late, cancelled, replaced, swept] = orders as [Order, Order, Order, Order, Order]
    await setClock(NOW + 1)
    expect(await store.expireOrders(10)).toEqual([])
    expect(await store.completeOrder(completed.id, by)).toMatchObject({ changedAt: NOW + 1 })
    await setClock(NOW + 2)
    expect(await rejectionOf(store.completeOrder(late.id, by))).toMatchObject({ code: 'order_not_pending' })
    expect(await store.cancelOrder(cancelled.id, by)).toMatchObject({ status: 'expired', changedAt: NOW + 2 })
    expect((await store.placeOrder({ petId: replaced.petId }, by)).value).toMatchObject({ placedAt: NOW + 2 })
    expect(await store.expireOrders(10)).toEqual([{ id: swept.id, petId: swept.petId }])
    await store.close()
  })
}
