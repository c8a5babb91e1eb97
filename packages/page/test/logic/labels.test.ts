// The addresses in QR codes, and the pages that labels fill.

import { expect, test } from 'bun:test'
import { encode } from 'uqr'
import { Names } from '../../../service/src/domain/names.ts'
import { openedIn } from '../../src/address.ts'
import { setNames } from '../../src/names.ts'
import { categoryOf, codeOf, pagesOf } from '../../src/paper/labels.tsx'

test.each([
  ['animal', 9223372036854775807n, 'https://shop.example/till/?animal=9223372036854775807'],
  ['order', 5n, 'https://shop.example/till/?order=5'],
] as const)('a code of an %s draws each dark module of its address under the path of the page', (kind, id, address) => {
  const { path, size } = codeOf({ kind, id }, 'https://shop.example/till/?status=sold&page=2#list')
  const { data } = encode(address, { ecc: 'M', border: 4 })
  const drawn = data.map((row) => row.map(() => false))
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) (drawn[Number(y)] as boolean[])[Number(x)] = true
  expect([drawn, size]).toEqual([data, data.length])
  expect(openedIn(new URL(address).search)).toEqual({ kind, id })
})

test('each label has its own page on a roll, and 24 share a sheet', () => {
  const labels = Array.from({ length: 49 }, (_, n) => n)
  expect(pagesOf(labels, 'roll').map(({ length }) => length)).toEqual(labels.map(() => 1))
  expect(pagesOf(labels, 'sheet').map(({ length }) => length)).toEqual([24, 24, 1])
  expect([pagesOf(labels, 'roll').flat(), pagesOf(labels, 'sheet').flat()]).toEqual([labels, labels])
})

test('a label has the name of the category, or its id', () => {
  setNames(new Names('Shop', [{ id: 7n, name: 'Dogs' }]))
  expect([7n, 8n].map((categoryId) => categoryOf({ categoryId }))).toEqual(['Dogs', 'Category 8'])
  setNames(undefined)
})
