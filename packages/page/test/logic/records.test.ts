// The animals and orders that the page knows: what responses and events change, and what views read again.

import { expect, test } from 'bun:test'
import { Records } from '../../src/live/records.ts'
import { event, order, pet } from './fake-client.ts'

const RESERVED = pet(1, { name: 'Rex', status: 'pending' })
const HELD = order(7, { reference: 'Anna' })

/** Records with a reserved animal. */
function known(): Records {
  const records = new Records()
  records.keep([RESERVED, HELD])
  return records
}

test('events change the animal, its order and its customer; other animals are not kept', () => {
  const records = known()
  const sold = pet(1, { name: 'Luna', status: 'sold' })
  records.apply([
    event(1, 'pet.changed', { pet: pet(1, { name: 'Luna', status: 'pending' }) }),
    event(2, 'order.changed', { ...ofOrder(7, 'pending'), terms: { reference: 'Ben' } }),
    event(3, 'order.completed', { ...ofOrder(7, 'completed'), pet: sold, terms: { reference: 'Ben' } }),
    event(4, 'pet.added', { petId: 2n, pet: pet(2) }),
  ])
  expect([records.pet(1n), records.pet(2n)]).toEqual([sold, undefined])
  expect(records.current(HELD)).toMatchObject({ petName: 'Luna', status: 'completed', reference: 'Ben' })
  expect(records.holderOf(sold)).toBe(records.order(7n))
  records.apply([event(5, 'pet.deleted')])
  expect(records.isDeleted(1n)).toBe(true)
})

test('a customer does not stay after the order ended, even if it was read before that', async () => {
  const records = known()
  const { promise, resolve } = Promise.withResolvers<void>()
  const read = records.read(promise, () => records.keep([RESERVED, HELD]))
  records.apply([
    event(1, 'order.cancelled', { ...ofOrder(7, 'cancelled'), petStatus: 'available' }),
    event(2, 'order.placed', { ...ofOrder(8, 'pending'), petStatus: 'pending', terms: { reference: 'Ben' } }),
  ])
  resolve()
  await read
  expect(records.holderOf(records.current(RESERVED))).toMatchObject({ id: 8n, reference: 'Ben' })
})

test('an order is unknown after an event without its terms, and after missing events', () => {
  const records = known()
  records.apply([event(1, 'order.changed', { orderId: 7n, orderStatus: 'pending' })])
  expect([records.holderOf(RESERVED), records.order(7n)]).toEqual([undefined, undefined])
  records.keep([HELD])
  records.keepUnheld([2n])
  expect(records.holderOf(pet(2, { status: 'sold' }))).toBeNull()
  records.forget()
  expect([records.holderOf(RESERVED), records.holderOf(pet(2, { status: 'sold' }))]).toEqual([undefined, undefined])
})

function ofOrder(id: number, orderStatus: (typeof HELD)['status']) {
  return { orderId: BigInt(id), orderStatus, pet: RESERVED, terms: {} }
}
