// What the index says of a search: the rows of each segment that may have all of its words.

import type { SearchTables } from './tables.ts'
import { addTo, type Bits, keepIn, noBits, placesIn, rangesOf } from './terms.ts'

const SEGMENTS_MAX = 32
/** Where a reading gives more terms, the next one is of one segment, so that none takes long. */
const TERMS_MAX = 1_000

/** Gives the segments in their order, each with the places of its rows. `size`: the ids of a segment. */
export async function* placesOf(
  tables: Pick<SearchTables<never>, 'idsOf'>,
  size: number,
  segments: readonly bigint[],
  words: readonly string[],
  turns: () => Promise<void>,
): AsyncGenerator<[segment: bigint, places: number[]]> {
  const ranges = rangesOf(words)
  for (let at = 0, count = 1; at < segments.length; ) {
    const group = segments.slice(at, at + count)
    let terms = 0
    let inAll: Map<bigint, Bits> | undefined
    for (const range of ranges) {
      const left = inAll ? [...inAll.keys()] : group
      if (left.length === 0) break
      const found = new Map<bigint, Bits>()
      for (const [segment, ids] of await tables.idsOf(left, range)) {
        const bits = found.get(segment) ?? noBits(size)
        found.set(segment, bits)
        addTo(bits, ids, size)
        if (++terms % TERMS_MAX === 0) await turns()
      }
      for (const [segment, bits] of found) {
        const before = inAll?.get(segment)
        if (before && !keepIn(bits, before)) found.delete(segment)
      }
      inAll = found
      await turns()
    }
    for (const segment of group) yield [segment, placesIn(inAll?.get(segment) ?? noBits(0))]
    at += count
    count = terms > TERMS_MAX ? 1 : Math.min(2 * count, SEGMENTS_MAX)
  }
}
