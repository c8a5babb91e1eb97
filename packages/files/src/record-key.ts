// The Idempotency-Keys of imported records. Each is derived from the import's name, the record's content and the
// number of equal records before it. So repeating an import adds only missing records, even if records were removed,
// inserted, moved or corrected.

import { stringifyJson } from '../../contract/src/json.ts'
import type { Unchecked } from './format.ts'

/** Errors that concern a single record. */
export const RECORD_ERRORS = ['invalid_pet', 'malformed_json', 'body_too_large', 'idempotency_mismatch']

export class RecordKeys {
  /** The number of records so far by the first 53 bits of their digest. */
  private readonly counts = new Map<number, number>()
  private readonly name: string

  constructor(name: string) {
    this.name = inHex(digest(name))
  }

  /** Call this once for each record, in file order. */
  next(pet: Unchecked): string {
    const content = digest(stringifyJson(pet))
    const [first, second] = content
    const key = first * 2 ** 21 + (second >>> 11)
    const before = this.counts.get(key) ?? 0
    this.counts.set(key, before + 1)
    return `import-${this.name}-${inHex(content)}-${before}`
  }
}

type Digest = readonly [number, number, number, number]

/**
 * Returns a 128-bit digest (cyrb53, twice). Browsers offer digests only over HTTPS. Collisions gain an attacker
 * nothing.
 */
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
