// The rows behind the index of search, beside a plain list of them.

import { expect, test } from 'bun:test'
import { Rows } from '../src/store/search/rows.ts'
import { randomOf } from './support/searches.ts'

test('rows are those of a plain list, whatever is added, changed, and taken from the start and the end', () => {
  const random = randomOf(7)
  const upTo = (limit: number) => Math.floor(random() * limit)
  let rows = new Rows()
  let plain: [bigint, string][] = []
  let id = 0n
  const check = (one: Rows, end: number, expected: readonly (readonly [bigint, string])[]) => {
    const seen = Array.from({ length: end - one.start }, (_, n) => [
      one.idAt(one.start + n),
      one.wordsAt(one.start + n),
    ])
    expect(seen).toEqual(expected.map(([each, words]) => [each, words]))
    for (let place = one.start; place < end; place++)
      expect(one.blockOf(place)?.includes(one.wordsAt(place)) ?? true).toBe(true)
  }
  for (let n = 0; n < 100; n++) {
    const [view, end, before] = [rows, rows.end, [...plain]]
    for (let count = upTo(200); count > 0; count--) {
      id += BigInt(1 + upTo(3))
      rows.add(id, ` word${id}`)
      plain.push([id, ` word${id}`])
    }
    // A search that has begun sees the rows that it knew.
    check(view, end, before)
    const some = BigInt(upTo(Number(id) + 2))
    rows.change(some, ` changed${n}`)
    plain = plain.map(([each, words]) => [each, each === some ? ` changed${n}` : words])
    expect(rows.firstAbove(some) - rows.start).toBe(plain.filter(([each]) => each <= some).length)
    if (n % 4 === 0) {
      const from = (plain[upTo(plain.length)]?.[0] ?? id) + BigInt(upTo(2))
      rows = rows.from(from)
      plain = plain.filter(([each]) => each >= from)
    }
    if (n % 7 === 0) {
      const kept = upTo(plain.length + 1)
      rows = rows.before(rows.start + kept)
      plain = plain.slice(0, kept)
    }
    expect(rows.length).toBe(plain.length)
    check(rows, rows.end, plain)
  }
})
