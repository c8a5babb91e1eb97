// The Idempotency-Keys of the records of an import: each is made of the import's name, the record's content and how many equal records come
// before it. So the same import again adds only the missing records, also after records were removed, inserted, moved or corrected.

import { stringifyJson } from '../../contract/src/json.ts'
import type { Unchecked } from './format.ts'

/** Errors that concern one record only. */
export const RECORD_ERRORS = ['invalid_pet', 'malformed_json', 'body_too_large', 'idempotency_mismatch']

export class RecordKeys {
  private readonly counts = new Counts()
  private readonly name: string

  constructor(name: string) {
    this.name = inHex(digest(name))
  }

  /** To be called once for each record, in the order of the file. */
  next(pet: Unchecked): string {
    const content = digest(stringifyJson(pet))
    const [first, second] = content
    const before = this.counts.add(first * 2 ** 21 + (second >>> 11) || 1)
    return `import-${this.name}-${inHex(content)}-${before}`
  }
}

/** Counts positive integers of up to 53 bits in about 20 bytes for each, a tenth of a Map's size. */
class Counts {
  /** With open addressing; 0 is a free place. At most half of the places are taken. */
  private table = new Float64Array(1024)
  private taken = 0
  private readonly repeated = new Map<number, number>()

  /** Returns how often the number was added before. */
  add(number: number): number {
    const at = this.placeOf(number)
    if (this.table[at] === number) {
      const before = this.repeated.get(number) ?? 1
      this.repeated.set(number, before + 1)
      return before
    }
    this.table[at] = number
    if (++this.taken > this.table.length / 2) this.grow()
    return 0
  }

  private placeOf(number: number): number {
    const last = this.table.length - 1
    let at = number & last
    while (this.table[at] !== 0 && this.table[at] !== number) at = (at + 1) & last
    return at
  }

  private grow(): void {
    const before = this.table
    this.table = new Float64Array(before.length * 2)
    for (const number of before) if (number !== 0) this.table[this.placeOf(number)] = number
  }
}

type Digest = readonly [number, number, number, number]

/** 128 bits. Browsers have their own digests on https only; nothing is gained by making two texts alike (cyrb53, twice). */
function digest(text: string): Digest {
  let [h1, h2, h3, h4] = [0xdeadbeef, 0x41c6ce57, 0x9e3779b9, 0x85ebca6b]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    h1 = Math.imul(h1 ^ code, 2654435761)
    h2 = Math.imul(h2 ^ code, 1597334677)
    h3 = Math.imul((h3 << 5) ^ (h3 >>> 2) ^ code, 2246822507)
    h4 = Math.imul((h4 << 7) ^ (h4 >>> 3) ^ code, 3266489909)
  }
  return [h3 >>> 0, h4 >>> 0, h1 >>> 0, h2 >>> 0]
}

function inHex(parts: Digest): string {
  return parts.map((part) => part.toString(16).padStart(8, '0')).join('')
}
