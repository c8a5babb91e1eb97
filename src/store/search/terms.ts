// What the index of search holds: segments of so many ids each, and in each segment, for every term, the ids of the rows that have it. A term
// is the first one, two or three letters of a word, or a longer word: whatever a search asks for is one term, or few that follow each other.
//
// The ids of a term are their places in the segment: two bytes for each, or a bit for each place where that is shorter.

/** The ids of a segment. With more of them a search reads fewer segments, and more is read from the rows behind them. */
export const SEGMENT = 32_768
/** The letters of a prefix that is a term. */
const PREFIX_MAX = 3
/** Longer words are cut: what the index finds is compared with the row. */
const TERM_MAX = 32
/** After every text that begins with the same letters: no letter, and never assigned. */
const LAST = '\u{10ffff}'

/** The segment of an id: `size` ids are in each. */
export function segmentOf(id: bigint, size: number): bigint {
  const whole = BigInt(size)
  return (id - (((id % whole) + whole) % whole)) / whole
}

/** The terms that hold a word of a search: from the first to the last of them. */
export interface Range {
  readonly first: string
  readonly last: string
}

export function rangeOf(word: string): Range {
  const first = cut(word, TERM_MAX)
  return { first, last: cut(word, PREFIX_MAX) === word ? first : first + LAST }
}

/** The first letters, in code points: half a letter is no text. */
function cut(word: string, length: number): string {
  const start = word.slice(0, length)
  return SURROGATES.test(start)
    ? Array.from(word.slice(0, 2 * length))
        .slice(0, length)
        .join('')
    : start
}

const SURROGATES = /[\ud800-\udfff]/

/** The places of a segment's rows, by their terms. */
export class Terms {
  private readonly all = new Group(0)

  constructor(private readonly size: number) {}

  /** `words`: as `wordsOf` gives them. */
  add(place: number, words: string): void {
    for (const word of words.split(' ')) {
      let before = ''
      for (const length of LENGTHS) {
        const term = cut(word, length)
        if (term === before) continue
        const places = this.all.placesOf(term)
        if (places.at(-1) !== place) places.push(place)
        before = term
      }
    }
  }

  /** In an order in which most stand beside those that stand beside them in the database. No step takes long. */
  *entries(): Generator<[term: string, ids: Uint8Array]> {
    for (const [term, places] of this.all.inOrder()) yield [term, bytesOf(places, this.size)]
  }
}

/** Terms that begin alike. Many of them are divided by their next character, so that none are many to put in order. */
class Group {
  private readonly terms = new Map<string, number[]>()
  private groups: Map<string, Group> | undefined

  /** `length`: of what all terms begin with. */
  constructor(private readonly length: number) {}

  placesOf(term: string): number[] {
    if (this.groups) return this.groupOf(this.groups, term).placesOf(term)
    const places = this.terms.get(term) ?? []
    if (places.length === 0) this.terms.set(term, places)
    if (this.terms.size > GROUP_MAX) this.divide()
    return places
  }

  *inOrder(): Generator<[term: string, places: number[]]> {
    for (const [, group] of inOrder(this.groups ?? [])) yield* group.inOrder()
    yield* inOrder(this.terms)
  }

  private divide(): void {
    this.groups = new Map()
    for (const [term, places] of this.terms) this.groupOf(this.groups, term).terms.set(term, places)
    this.terms.clear()
  }

  private groupOf(groups: Map<string, Group>, term: string): Group {
    const next = term.charAt(this.length)
    const group = groups.get(next) ?? new Group(this.length + 1)
    groups.set(next, group)
    return group
  }
}

const GROUP_MAX = 512

function inOrder<Of>(named: Iterable<[string, Of]>): [string, Of][] {
  return [...named].sort(([one], [other]) => (one < other ? -1 : 1))
}

function bytesOf(places: readonly number[], size: number): Uint8Array {
  const ids = new Uint8Array(Math.min(2 * places.length, size / 8))
  if (ids.length === size / 8) setPlaces(ids, places)
  else for (const [at, place] of places.entries()) ids.set([place & 0xff, place >> 8], 2 * at)
  return ids
}

/** The ids of both. */
export function joined(one: Uint8Array, other: Uint8Array, size: number): Uint8Array {
  const bits = new Uint8Array(size / 8)
  for (const ids of [one, other]) addTo(bits, ids)
  return bytesOf(placesIn(bits), size)
}

const LENGTHS = [1, 2, PREFIX_MAX, TERM_MAX]

function setPlaces(bits: Uint8Array, places: Iterable<number>): void {
  for (const place of places) bits[place >> 3] = (bits[place >> 3] as number) | (1 << (place & 7))
}

/** Adds the places of a term to `bits`, one for each place. */
export function addTo(bits: Uint8Array, ids: Uint8Array): void {
  if (ids.length === bits.length)
    for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | (ids[at] as number)
  else setPlaces(bits, new Uint16Array(new Uint8Array(ids).buffer))
}

/** The places whose bits are set, in their order. */
export function placesIn(bits: Uint8Array): number[] {
  const places: number[] = []
  for (let at = 0; at < bits.length; at++) {
    for (let rest = bits[at] as number; rest !== 0; rest &= rest - 1)
      places.push(8 * at + 31 - Math.clz32(rest & -rest))
  }
  return places
}
