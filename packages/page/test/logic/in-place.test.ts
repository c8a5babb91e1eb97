// Rows stay in place: changes within a row show immediately, and changes that would move rows wait.

import { expect, test } from 'bun:test'
import { RowsInPlace } from '../../src/list/in-place.ts'
import { firstPageOf, type Item, type Page } from '../../src/list/list-position.ts'
import { event, order, pet } from './fake-client.ts'

const FIRST = firstPageOf('animals')
const ORDERS = firstPageOf('orders')

function pageOf(ids: readonly (number | Item)[], more: Partial<Page> = {}): Page {
  const items = ids.map((id) => (typeof id === 'number' ? pet(id) : id))
  return { position: FIRST, items, next: undefined, prev: undefined, ...more }
}

function shown(first: Page): RowsInPlace {
  const rows = new RowsInPlace()
  rows.update(first, false)
  return rows
}

const ids = ({ page }: RowsInPlace) => page?.items.map(({ id }) => Number(id))

test.each<[string, number[], number[], boolean]>([
  ['no change', [1, 2], [1, 2], false],
  ['rows added at the end', [1, 2], [1, 2, 3], false],
  ['a new row', [2, 1], [3, 2, 1], true],
  ['a row that is gone', [1, 2, 3], [1, 3], true],
  ['a different order', [1, 2], [2, 1], true],
])('%s', (_, before, read, waiting) => {
  const rows = shown(pageOf(before))
  rows.update(pageOf(read), false)
  expect([rows.waiting, ids(rows)]).toEqual([waiting, waiting ? before : read])
  rows.show(false)
  expect([rows.waiting, ids(rows)]).toEqual([false, read])
})

test('updates a row in place, from the list or from its last event', () => {
  const rows = shown(pageOf([1, 2, 3]))
  rows.hear([event(1, 'order.placed', { petId: 1n, petStatus: 'pending' }), event(2, 'pet.deleted', { petId: 2n })])
  rows.update(pageOf([pet(3, { name: 'Luna' })]), false)
  expect(rows.page?.items.map((item) => ['name' in item && item.name, item.status])).toEqual([
    ['Pet 1', 'pending'],
    ['Pet 2', 'available'],
    ['Luna', 'available'],
  ])
  expect([...rows.deleted]).toEqual([2n])
  expect(rows.waiting).toBe(true)
})

test('an order that left the view keeps its row, with the status of its last event', () => {
  const page = (...items: Item[]): Page => ({ ...pageOf(items), position: ORDERS })
  const rows = shown(page(order(7), order(6)))
  rows.hear([event(1, 'order.completed', { orderId: 7n, orderStatus: 'completed' })])
  rows.update(page(order(6)), false)
  expect(rows.page?.items.map(({ status }) => status)).toEqual(['completed', 'pending'])
  expect(rows.waiting).toBe(true)
})

test('rows move if the person asks, changes the page or does not see them, and when the person deletes one', () => {
  const rows = shown(pageOf([1, 2, 3]))
  rows.show(true)
  rows.update(pageOf([2, 3]), false)
  expect(ids(rows)).toEqual([2, 3])
  rows.update(pageOf([3]), true)
  expect(ids(rows)).toEqual([3])
  rows.update(pageOf([9, 8], { position: { ...FIRST, page: 2, cursor: 'A' } }), false)
  expect(ids(rows)).toEqual([9, 8])
  rows.remove(9n)
  expect([ids(rows), rows.waiting]).toEqual([[8], false])
})
