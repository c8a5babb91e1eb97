// A batch has the same result as its requests one after another, in any order.

import { expect, test } from 'bun:test'
import { Rows } from '../../../../../test/support/rows-in-memory.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import {
  createPet,
  deletePet,
  expireOrders,
  moveOrder,
  placeOrder,
  updateOrder,
  updatePet,
} from '../../../src/domain/decisions/decision.ts'
import type { Decision } from '../../../src/domain/decisions/working-copy.ts'
import { HOLDING, petStatusOf } from '../../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import { BY, NEXT, ORDER, PET, PET_STATUSES, withOrder, withPet } from './fixture.ts'

/** Requests about one pet and its orders, from two API keys. */
const REQUESTS: Record<string, () => Decision<unknown>> = {
  place: () => placeOrder({ petId: PET }, BY),
  'place until': () => placeOrder({ petId: PET, expiresAt: 1_900_000_000_000, reference: 'q' }, 2n, 'k'),
  complete: () => moveOrder(ORDER, 'completed', BY),
  cancel: () => moveOrder(ORDER, 'cancelled', BY),
  return: () => moveOrder(ORDER, 'returned', BY),
  'complete next': () => moveOrder(NEXT, 'completed', 2n),
  'cancel next': () => moveOrder(NEXT, 'cancelled', BY),
  refer: () => updateOrder(ORDER, { reference: 'x' }, BY),
  extend: () => updateOrder(ORDER, { expiresAt: 1_820_000_000_000 }, BY),
  rename: () => updatePet(PET, { name: 'Max' }, BY),
  free: () => updatePet(PET, { status: 'available' }, BY),
  delete: () => deletePet(PET, BY),
  add: () => createPet({ name: 'Rex', categoryId: 7n, status: 'available' }, BY),
  'place of next': () => placeOrder({ petId: NEXT }, BY),
  expire: () => expireOrders(5),
}
const STARTS: Record<string, () => Rows> = {
  'no pet': () => new Rows(),
  ...Object.fromEntries(PET_STATUSES.map((status) => [`a pet that is ${status}`, () => withPet(status)])),
  ...Object.fromEntries(ORDER_STATUSES.map((status) => [`an order that is ${status}`, () => withOrder(status)])),
  'an overdue reservation': () => withOrder('pending', true),
}

function expectAgreement({ pets, orders }: Rows): void {
  for (const pet of pets.values()) {
    const holders = [...orders.values()].filter(({ petId, status }) => petId === pet.id && HOLDING.includes(status))
    expect(holders.length).toBeLessThan(2)
    if (holders[0]) expect(pet.status).toBe(petStatusOf(holders[0].status))
  }
  for (const { petId } of orders.values()) expect(pets.has(petId)).toBe(true)
}

/** Each status change is an event, too. */
const transitionsOf = ({ events }: Rows) =>
  events.flatMap(({ type, petId, orderId: id = 0n }) => {
    const status = type === 'order.placed' ? 'pending' : (type.replace(/^order\./, '') as OrderStatus)
    return ORDER_STATUSES.includes(status) ? [{ id, petId, status }] : []
  })

test.each(Object.keys(STARTS))('a batch has the same result as its requests one after another: %s', (name) => {
  const start = (STARTS[name] as () => Rows)()
  const requests = Object.values(REQUESTS)
  for (const first of requests)
    for (const second of requests)
      for (const third of requests) {
        const [together, apart] = [start.copy(), start.copy()]
        const { outcomes, transitions } = together.commit(first(), second(), third())
        const each = [first, second, third].map((request) => apart.commit(request()))
        expect(outcomes).toEqual(each.flatMap((one) => one.outcomes))
        expect(transitions).toEqual(each.flatMap((one) => one.transitions))
        expect(transitions).toEqual(transitionsOf(together))
        expect(together).toEqual(apart)
        expectAgreement(together)
      }
})
