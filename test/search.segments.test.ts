// The segments of the index of search, beside a model: what they say of a search, and how much of them is read for it.

import { expect, test } from 'bun:test'
import { beginningsOf, hasWords, searchWords, wordsOf } from '../src/domain/words.ts'
import { placesOf } from '../src/store/search/segments.ts'
import { type Range, Terms } from '../src/store/search/terms.ts'
import { hostileName, randomOf, searchFor } from './support/searches.ts'

const SIZE = 64

/** Segments of such names, and the readings of them. */
function indexOf(names: readonly string[]) {
  const segments: Map<string, Uint8Array>[] = []
  for (let at = 0; at < names.length; at += SIZE) {
    const terms = new Terms(SIZE)
    for (const [place, name] of names.slice(at, at + SIZE).entries()) terms.add(place, wordsOf(name))
    segments.push(new Map(terms.entries()))
  }
  const readings: { segments: number; terms: number }[] = []
  async function idsOf(of: readonly bigint[], { first, last }: Range) {
    const bytes = (text: string) => Buffer.from(text)
    const isIn = (term: string) =>
      Buffer.compare(bytes(term), bytes(first)) >= 0 && Buffer.compare(bytes(term), bytes(last)) <= 0
    const found = of.flatMap((segment) =>
      [...(segments[Number(segment)] ?? [])].filter(([term]) => isIn(term)).map(([, ids]) => [segment, ids] as const),
    )
    readings.push({ segments: of.length, terms: found.length })
    return found
  }
  async function search(words: string) {
    readings.length = 0
    const all = segments.map((_, segment) => BigInt(segment))
    const found: number[] = []
    for await (const [segment, places] of placesOf({ idsOf }, SIZE, all, searchWords(words), async () => {}))
      found.push(...places.map((place) => Number(segment) * SIZE + place))
    return found
  }
  return { readings, search, names }
}

test('the index says of each row that has the words that it may have them, and of few others', async () => {
  const random = randomOf(3)
  const names = Array.from({ length: 8 * SIZE }, () => hostileName(random))
  const { search } = indexOf(names)
  let others = 0
  let found = 0
  for (let n = 0; n < 100; n++) {
    const words = searchFor(names, random)
    if (!/[\p{L}\p{N}]/u.test(words)) continue
    const asked = await search(words).catch(() => undefined)
    if (!asked) continue
    const beginnings = beginningsOf(searchWords(words))
    const expected = names.flatMap((name, place) => (hasWords(wordsOf(name), beginnings) ? [place] : []))
    expect(new Set(expected).difference(new Set(asked)).size).toBe(0)
    found += asked.length
    others += asked.length - expected.length
  }
  expect(found).toBeGreaterThan(100)
  // Words are cut after 32 letters.
  expect(others).toBeLessThan(found / 100)
})

test('of words that nothing has together, no more is read than shows it', async () => {
  const pairs = ['Bella 1', 'Coco 2', 'Duke 3', 'Luna 4']
  const { search, readings } = indexOf(Array.from({ length: 40 * SIZE }, (_, n) => pairs[n % 4] as string))
  expect(await search('b c d l 1 2 3 4')).toEqual([])
  // Of each of the 40 segments two terms.
  expect(readings.reduce((sum, { terms }) => sum + terms, 0)).toBe(80)
  // Many words that begin alike are not read where the beginnings show it.
  const { search: long, readings: few } = indexOf(Array.from({ length: 40 * SIZE }, (_, n) => `Kitten${n}`))
  expect(await long('kitten zebra')).toEqual([])
  expect(few.reduce((sum, { terms }) => sum + terms, 0)).toBe(40)
})

test('where segments have many terms of a search, each reading is of one', async () => {
  const names = Array.from({ length: 20 * SIZE }, (_, n) =>
    Array.from({ length: 20 }, (_, m) => `kitten${n * 20 + m}`).join(' '),
  )
  const { search, readings } = indexOf(names)
  expect((await search('kitten')).length).toBe(names.length)
  const readAll = readings.filter(({ terms }) => terms > SIZE)
  expect(readAll.length).toBe(20)
  expect(readAll.every(({ segments }) => segments === 1)).toBe(true)
})
