// What the index of search holds: segments of so many ids each, and in each segment, for every term, the ids of the rows that have it. A term
// is the first one, two or three letters of a word, or a longer word: whatever a search asks for is one term, or few that follow each other.
//
// The ids of a term are their places in the segment: two bytes for each, or a bit for each place where that is shorter.

/** The ids of a segment. With more of them a search reads fewer segments, and more is read from the rows behind them. */
export const SEGMENT = 32_768
/** The letters of a prefix that is a term. */
const PREFIX_MAX = 3
const PREFIXES = [1, 2, PREFIX_MAX]
/** Longer words are cut: what the index finds is compared with the row. */
const TERM_MAX = 32
/** Of a search that is all words of one letter each, the index is asked for so many; the rows are asked for all. */
const RANGES_MAX = 16
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

/**
 * Rows with all words have a term in each range. Those of one term come first: where nothing has these together, the others, which may have
 * many terms, need not be read.
 */
export function rangesOf(words: readonly string[]): Range[] {
  // The longest word is in few rows.
  const asked = words.toSorted((one, other) => other.length - one.length).slice(0, RANGES_MAX)
  const prefixes = new Set(asked.map((word) => cut(word, PREFIX_MAX)))
  const longer = asked.filter((word) => !prefixes.has(word)).map((word) => cut(word, TERM_MAX))
  return [
    ...[...prefixes].map((term) => ({ first: term, last: term })),
    ...longer.map((first) => ({ first, last: first + LAST })),
  ]
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
  private readonly ofPrefixes = new Map<string, readonly number[][]>()

  constructor(private readonly size: number) {}

  /** `words`: as `wordsOf` gives them. */
  add(place: number, words: string): void {
    for (const word of words.split(' ')) {
      if (word === '') continue
      const prefix = cut(word, PREFIX_MAX)
      for (const places of this.placesOfPrefix(prefix)) addPlace(places, place)
      if (prefix !== word) addPlace(this.all.placesOf(cut(word, TERM_MAX)), place)
    }
  }

  /** Those of the prefix and of the shorter ones. Words have few prefixes, so they are looked up once. */
  private placesOfPrefix(prefix: string): readonly number[][] {
    let places = this.ofPrefixes.get(prefix)
    if (!places) {
      const terms = new Set(PREFIXES.map((length) => cut(prefix, length)))
      places = [...terms].map((term) => this.all.placesOf(term))
      this.ofPrefixes.set(prefix, places)
    }
    return places
  }

  /** In an order in which most stand beside those that stand beside them in the database. No step takes long. */
  *entries(): Generator<[term: string, ids: Uint8Array]> {
    for (const [term, places] of this.all.inOrder()) yield [term, bytesOf(places, this.size)]
  }
}

function addPlace(places: number[], place: number): void {
  if (places.at(-1) !== place) places.push(place)
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
  if (2 * places.length < size / 8) return new Uint8Array(new Uint16Array(places).buffer)
  const bits = noBits(size)
  for (const place of places) set(bits, place)
  return new Uint8Array(bits.buffer, 0, size / 8)
}

/** The ids of both. */
export function joined(one: Uint8Array, other: Uint8Array, size: number): Uint8Array {
  const bits = noBits(size)
  for (const ids of [one, other]) addTo(bits, ids, size)
  return bytesOf(placesIn(bits), size)
}

/** A bit for each place of a segment, 32 in a number. */
export type Bits = Uint32Array<ArrayBuffer>

export function noBits(size: number): Bits {
  return new Uint32Array(Math.ceil(size / 32))
}

function set(bits: Bits, place: number): void {
  bits[place >> 5] = (bits[place >> 5] as number) | (1 << (place & 31))
}

/** Adds the places of a term to `bits`. */
export function addTo(bits: Bits, ids: Uint8Array, size: number): void {
  // The driver's bytes may begin anywhere.
  const bytes = new Uint8Array(4 * Math.ceil(ids.length / 4))
  bytes.set(ids)
  if (ids.length < size / 8) {
    const places = new Uint16Array(bytes.buffer, 0, ids.length / 2)
    for (let at = 0; at < places.length; at++) set(bits, places[at] as number)
    return
  }
  const others = new Uint32Array(bytes.buffer)
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | (others[at] as number)
}

/** Takes from `bits` what the others do not have. Gives whether any are left. */
export function keepIn(bits: Bits, others: Bits): boolean {
  let any = 0
  for (let at = 0; at < bits.length; at++) {
    const both = (bits[at] as number) & (others[at] as number)
    bits[at] = both
    any |= both
  }
  return any !== 0
}

/** The places whose bits are set, in their order. */
export function placesIn(bits: Bits): number[] {
  const places: number[] = []
  for (let at = 0; at < bits.length; at++) {
    for (let rest = bits[at] as number; rest !== 0; rest &= rest - 1)
      places.push(32 * at + 31 - Math.clz32(rest & -rest))
  }
  return places
}
