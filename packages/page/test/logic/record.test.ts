// The page of an animal or an order: its history in words, and the corrections that it offers.

import { expect, test } from 'bun:test'
import type { Event, OrderTerms, Pet } from '../../../client/src/petstore.ts'
import { correctionsOf } from '../../src/record/corrections.tsx'
import { sentenceOf } from '../../src/record/event-line.tsx'
import { changesIn, withoutDirect } from '../../src/record/history.ts'
import { event, order, pet } from './fake-client.ts'

const END = '2999-01-01T11:00:00.000Z'
const FOR_ANNA: OrderTerms = { reference: 'Anna', expiresAt: END }

test.each<[string, Partial<Event>, string | undefined, string | RegExp]>([
  ['order.placed', { terms: FOR_ANNA }, undefined, /^Reserved for Anna until .*2999/],
  ['order.placed', {}, undefined, 'Reserved'],
  ['order.completed', { terms: FOR_ANNA }, undefined, 'Sold for Anna'],
  ['order.changed', { terms: FOR_ANNA }, 'for whom from Ana to Anna', 'Order edited: for whom from Ana to Anna'],
  ['order.changed', { terms: FOR_ANNA }, undefined, /^Order edited: now for Anna until .*2999/],
  ['order.changed', { terms: {} }, undefined, 'Order edited: now for nobody'],
  ['pet.added', { petStatus: 'sold' }, undefined, 'Added as sold'],
  ['pet.added', { petStatus: 'available' }, undefined, 'Added'],
  ['pet.changed', {}, 'name from Rex to Luna', 'Edited: name from Rex to Luna'],
  ['pet.groomed', {}, undefined, 'pet.groomed'],
])('describes %s of %j with the change %p', (type, fields, change, sentence) => {
  expect(sentenceOf(event(1, type, fields), change)).toMatch(sentence)
})

test('describes each edit by its old and new values, if the events have them', () => {
  const events = [
    event(1, 'pet.added', { pet: pet(1, { name: 'Rex', status: 'sold' }) }),
    event(2, 'pet.changed', { pet: pet(1, { name: 'Luna', categoryId: 8n, status: 'sold' }) }),
    event(3, 'order.placed', { orderId: 7n, terms: { reference: 'Ana' } }),
    event(4, 'order.changed', { orderId: 8n }),
    event(5, 'order.changed', { orderId: 7n, terms: FOR_ANNA }),
    event(6, 'pet.changed', { pet: pet(1, { name: 'Luna', categoryId: 8n }) }),
  ]
  expect([...changesIn(events)]).toMatchObject([
    [2n, 'name from Rex to Luna, category from 7 to 8'],
    [5n, expect.stringMatching(/^for whom from Ana to Anna, until from no end to .*2999/)],
    [6n, 'made available'],
  ])
})

test.each([
  ['by the same key within a minute', {}, [2]],
  ['later', { at: new Date(Date.now() + 61_000).toISOString() }, [2, 1]],
  ['by another key', { by: 'till 2' }, [2, 1]],
  ['of another order', { orderId: 8n }, [2, 1]],
])('a history has a reservation and its sale %s as these lines: %p %p', (_when, sale, lines) => {
  const placed = event(1, 'order.placed', { orderId: 7n, by: 'till 1' })
  const sold = event(2, 'order.completed', { orderId: 7n, by: 'till 1', ...sale })
  expect(withoutDirect([sold, placed]).map(({ id }) => Number(id))).toEqual(lines)
})

test.each<[string, Parameters<typeof correctionsOf>[0], string[]]>([
  ['an animal without orders', read({}), ['edit', 'delete']],
  ['one that was added as sold', read({ status: 'sold' }), ['edit', 'makeAvailable', 'delete']],
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
