// Rows stay in place: changes that would move rows wait.

import { expect, test } from 'bun:test'
import { RowsInPlace } from '../../src/list/in-place.ts'
import { firstPageOf, type Page } from '../../src/list/list-position.ts'
import { pet } from './fake-client.ts'

const FIRST = firstPageOf('animals')

function pageOf(ids: readonly number[], more: Partial<Page> = {}): Page {
  return { position: FIRST, items: ids.map((id) => pet(id)), next: undefined, prev: undefined, ...more }
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

test('rows move if the person asks, changes the page or does not see them', () => {
  const rows = shown(pageOf([1, 2, 3]))
  rows.show(true)
  rows.update(pageOf([2, 3]), false)
  expect(ids(rows)).toEqual([2, 3])
  rows.update(pageOf([3]), true)
  expect(ids(rows)).toEqual([3])
  rows.update(pageOf([9, 8], { position: { ...FIRST, page: 2, cursor: 'A' } }), false)
  expect(ids(rows)).toEqual([9, 8])
})
