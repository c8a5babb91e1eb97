// Lists, addresses and names in words.

import { expect, test } from 'bun:test'
import { wrongIn } from '../../src/address.ts'
import { fileName } from '../../src/files/export.ts'
import type { Shown } from '../../src/list/list.ts'
import { firstPageOf, type ListPosition, PAGE_SIZE } from '../../src/list/list-position.ts'
import { emptyReason, rangeOf, spokenSummary, summary } from '../../src/list/list-words.ts'
import { wordsIn } from '../../src/list/search.tsx'
import { partsOf, plain } from '../../src/parts/visible-text.ts'
import { pet } from './fake-client.ts'

const ALL = { ...firstPageOf('animals'), limit: 20 }
const INVENTORY = { available: 25n, pending: 0n, sold: 22n }

function shown(position: Partial<ListPosition>, rows: number, more: Partial<Shown> = {}): Shown {
  const items = Array.from({ length: rows }, (_, n) => pet(n))
  return { position: { ...ALL, ...position }, items, next: undefined, prev: undefined, inventory: INVENTORY, ...more }
}

test.each<[string, string, Shown]>([
  ['1 – 20 of 47', 'Animals: 1 to 20 out of 47, All, Oldest first', shown({}, 20, { next: 'A' })],
  [
    '21 – 22 of 22',
    'Animals: 21 to 22 out of 22, Sold, Newest first, page 2',
    shown({ status: 'sold', sort: 'newest', page: 2 }, 2),
  ],
  ['1 – 5 of 5', 'Animals: 1 to 5 out of 5, All, “pet 3”, Oldest first', shown({ search: 'pet 3' }, 5)],
  ['1 – 20', 'Animals: 1 to 20, All, Category 7, Oldest first', shown({ categoryId: 7n }, 20, { next: 'A' })],
  [
    '1 – 20 of 6,212',
    'Animals: 1 to 20 out of 6,212, All, Category 7, Oldest first',
    shown({ categoryId: 7n }, 20, { next: 'A', counted: { total: 6_212, more: false } }),
  ],
  [
    '1 – 20 of more than 10,000',
    'Animals: 1 to 20 out of more than 10,000, Sold, Category 7, Oldest first',
    shown({ categoryId: 7n, status: 'sold' }, 20, { next: 'A', counted: { total: 10_000, more: true } }),
  ],
  ['1', 'Animals: 1, All, Oldest first', shown({}, 1, { next: 'A', inventory: undefined })],
  ['3 rows', 'Animals: 3 found, All, Ids 3-5, Oldest first', shown({ ids: '3-5' }, 3)],
])('%s: %s', (range, sentence, list) => {
  expect([rangeOf(list), spokenSummary(list, 'Animals')]).toEqual([range, sentence])
})

test('describes an empty list, and the filters on paper', () => {
  expect(spokenSummary(shown({ search: 'nobody' }, 0), 'Animals')).toBe(
    'Animals: none found, All, “nobody”, Oldest first',
  )
  const position = { ...ALL, status: 'sold', categoryId: 7n, sort: 'newest' } as const
  expect(summary(position, '125')).toStartWith('Sold · Category 7 · Newest first · 125 · ')
})

test.each<[string, Partial<ListPosition>]>([
  ['No animals yet.', {}],
  ['No reserved animals.', { status: 'pending' }],
  ['No sold animals in category -7.', { status: 'sold', categoryId: -7n }],
  ['No name has a word that begins with “Rex”.', { search: 'Rex' }],
  ['No name has words that begin with “r m” among the sold animals.', { search: 'r m', status: 'sold' }],
  ['No order has a word that begins with “Rex”.', { view: 'orders', search: 'Rex' }],
  ['No more animals.', { page: 3 }],
])('explains why a list is empty: %s', (sentence, position) => {
  expect(emptyReason({ ...ALL, ...position })).toBe(sentence)
})

test('an exported file is named by its filters', () => {
  expect(fileName(ALL)).toBe('animals.csv')
  expect(fileName({ ...ALL, status: 'sold', categoryId: -(2n ** 63n) })).toBe(
    'animals sold category -9223372036854775808.csv',
  )
})

test.each([
  ['#8', '8'],
  [' Id 8 ', '8'],
  ['id card', 'id card'],
  ['Rex ', 'Rex'],
])('searches for %p as %p', (text, words) => expect(wordsIn(text)).toBe(words))

test.each([
  ['?category=dog', ['category=dog']],
  ['?category=-7&status=sold&limit=20', []],
  ['?status=reserved&ids=all', ['status=reserved', 'ids=all']],
  ['?view=orders&status=completed', []],
  ['?view=orders&status=sold', ['status=sold']],
  ['?animal=abc', ['animal=abc']],
  ['?order=9223372036854775807&utm=x', []],
  ['?view=activity&day=2026-13-45', ['day=2026-13-45']],
  ['?view=activity&day=2026-11-22', []],
  ['?__proto__=x&view=sales&type=constructor', ['type=constructor']],
])('finds in %s the invalid filters %p', (address, wrong) => expect(wrongIn(address)).toEqual(wrong))

test.each([
  ['Luna', 'Luna'],
  ['Lu\u200Bna', 'Lu[U+200B]na'],
  ['\u202EanuL', '[U+202E]anuL'],
  ['Lu\u00ADna\u3164', 'Lu[U+00AD]na[U+3164]'],
  ['👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️', '👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️'],
  // Isolated, so that it does not reorder a sentence.
  ['نام\u200Cها', '\u2068نام\u200Cها\u2069'],
])('shows %s as %s', (text, shown) => {
  expect(plain(text)).toBe(shown)
  expect(partsOf(text).filter((_, index) => index % 2)).toEqual(shown.match(/U\+\w+/g) ?? [])
})

test('a page has at least 20 rows', () => expect(PAGE_SIZE).toBe(20))
