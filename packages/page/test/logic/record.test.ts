// The page of an animal or an order: its history in words, and the corrections that it offers.

import { expect, test } from 'bun:test'
import type { OrderTerms, Pet } from '../../../client/src/petstore.ts'
import { correctionsOf } from '../../src/record/corrections.tsx'
import { changesIn, sentenceOf } from '../../src/record/event-line.tsx'
import { orderTerms } from '../../src/record/order-terms.ts'
import { event, order, pet } from './fake-client.ts'

const END = '2999-01-01T11:00:00.000Z'
const FOR_ANNA: OrderTerms = { reference: 'Anna', expiresAt: END }

test.each<[string, Partial<Pet>, OrderTerms | undefined, string | undefined, string | RegExp]>([
  ['order.placed', {}, FOR_ANNA, undefined, /^Reserved for Anna until .*2999/],
  ['order.placed', {}, undefined, undefined, 'Reserved'],
  ['order.completed', {}, FOR_ANNA, undefined, 'Sold for Anna'],
  ['order.changed', {}, FOR_ANNA, 'for whom from Ana to Anna', 'Order edited: for whom from Ana to Anna'],
  ['order.changed', {}, FOR_ANNA, undefined, /^Order edited: now for Anna until .*2999/],
  ['order.changed', {}, {}, undefined, 'Order edited: now for nobody'],
  ['pet.added', { status: 'sold' }, undefined, undefined, 'Added as sold'],
  ['pet.added', { status: 'available' }, undefined, undefined, 'Added'],
  ['pet.changed', {}, undefined, 'name from Rex to Luna', 'Edited: name from Rex to Luna'],
  ['pet.groomed', {}, undefined, undefined, 'pet.groomed'],
])('describes %s of %j with %j and the change %p', (type, { status }, terms, change, sentence) => {
  expect(sentenceOf(event(1, type, status && { petStatus: status }), terms, change)).toMatch(sentence)
})

test('describes each edit of an animal by its old and new values', () => {
  const events = [
    event(1, 'pet.added', { pet: pet(1, { name: 'Rex', status: 'sold' }) }),
    event(2, 'pet.changed', { pet: pet(1, { name: 'Luna', categoryId: 8n, status: 'sold' }) }),
    event(3, 'order.placed'),
    event(4, 'pet.changed', { pet: pet(1, { name: 'Luna', categoryId: 8n }) }),
  ]
  expect([...changesIn(events)]).toEqual([
    [2n, 'name from Rex to Luna, category from 7 to 8'],
    [4n, 'made available'],
  ])
})

test('describes each edit of an order; events of 1.0.0 have only the current terms', () => {
  const newestFirst = (...terms: (OrderTerms | undefined)[]) => [
    event(3, 'order.completed', { orderId: 7n, ...(terms[2] && { terms: terms[2] }) }),
    event(2, 'order.changed', { orderId: 7n, ...(terms[1] && { terms: terms[1] }) }),
    event(1, 'order.placed', { orderId: 7n, ...(terms[0] && { terms: terms[0] }) }),
  ]
  const now = new Map([[7n, order(7, FOR_ANNA)]])
  const { after, changes } = orderTerms(newestFirst({ reference: 'Ana' }, FOR_ANNA, FOR_ANNA), now)
  expect(after.get(1n)).toEqual({ reference: 'Ana' })
  expect(changes.get(2n)).toMatch(/^for whom from Ana to Anna, until from no end to .*2999/)
  const old = orderTerms(newestFirst(), now)
  expect([old.changes.size, old.after.get(2n)]).toMatchObject([0, FOR_ANNA])
  expect(old.after.has(1n)).toBe(false)
})

test.each<[string, Parameters<typeof correctionsOf>[0], string[]]>([
  ['an animal without orders', read({}), ['edit', 'delete']],
  ['one that was added as sold', read({ status: 'sold' }), ['edit', 'free', 'delete']],
  ['a reserved animal', read({ status: 'pending', orders: [order(7)] }), ['edit']],
  ['one that was sold and taken back', read({ orders: [order(7, { status: 'returned' })] }), ['edit']],
  ['a deleted animal', read({ deleted: true }), []],
  ['a pending order', read({ status: 'pending', order: order(7) }), ['edit']],
  ['a completed order', read({ status: 'sold', order: order(7, { status: 'completed' }) }), []],
])('offers for %s only what the service accepts', (_, record, corrections) => {
  expect(correctionsOf(record)).toEqual(corrections as never)
})

interface Record {
  status?: Pet['status']
  deleted?: boolean
  order?: ReturnType<typeof order>
  orders?: ReturnType<typeof order>[]
}

function read({ status = 'available', deleted = false, order, orders = order ? [order] : [] }: Record) {
  return { animal: { pet: pet(1, { status }), deleted, events: [] }, orders, order }
}
