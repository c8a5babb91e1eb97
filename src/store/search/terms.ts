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
  return word.length <= length
    ? word
    : Array.from(word.slice(0, 2 * length))
        .slice(0, length)
        .join('')
}

/** The places of a segment's rows, by their terms. */
export class Terms {
  /** By their first two characters, so that no step takes long. */
  private readonly places = new Map<string, Map<string, number[]>>()

  constructor(private readonly size: number) {}

  /** Each place after the one before. `words`: as `wordsOf` gives them. */
  add(place: number, words: string): void {
    for (const word of words.split(' ')) {
      let before = ''
      for (const length of LENGTHS) {
        const term = cut(word, length)
        if (term !== before) this.addTerm(place, term)
        before = term
      }
    }
  }

  /** In an order in which most stand beside those that stand beside them in the database. */
  *entries(): Generator<[term: string, ids: Uint8Array]> {
    for (const start of [...this.places.keys()].sort()) {
      const ofStart = this.places.get(start) ?? new Map<string, number[]>()
      for (const term of [...ofStart.keys()].sort()) yield [term, this.bytesOf(ofStart.get(term) ?? [])]
    }
  }

  private addTerm(place: number, term: string): void {
    const start = term.slice(0, 2)
    const ofStart = this.places.get(start) ?? new Map<string, number[]>()
    if (ofStart.size === 0) this.places.set(start, ofStart)
    const places = ofStart.get(term)
    if (!places) ofStart.set(term, [place])
    else if (places.at(-1) !== place) places.push(place)
  }

  private bytesOf(places: readonly number[]): Uint8Array {
    if (2 * places.length < this.size / 8) return new Uint8Array(Uint16Array.from(places).buffer)
    const bits = new Uint8Array(this.size / 8)
    setPlaces(bits, places)
    return bits
  }
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
