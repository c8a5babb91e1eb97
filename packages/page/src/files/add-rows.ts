// Adds the rows of a file, a few at a time. Each has an Idempotency-Key made of the file's name, the line and the content, as the command line's
// import has: the same file again, also after it was mended, adds nothing twice.

import { type NewPet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { petOf } from '../../../service/src/cli/formats/csv.ts'
import { RECORD_ERRORS, recordKey } from '../../../service/src/cli/formats/record-key.ts'
import { toProblems } from '../animal/field-problems.ts'
import { eachOf } from '../parts/each-of.ts'
import { isReady, type Row } from './rows.ts'

const RETRIES = 8

/**
 * `name`: of the import. `onRow` is called after each. What the service refuses becomes a mistake of its row. Rejects when the service
 * cannot be reached for long, or refuses all; the rows that were added are known.
 */
export async function addRows(
  client: PetstoreClient,
  name: string,
  rows: readonly Row[],
  signal: AbortSignal,
  onRow: () => void,
): Promise<void> {
  await eachOf(rows.filter(isReady), async (row) => {
    const pet = petOf(row.cells)
    let state: Row['state'] = 'added'
    try {
      const { id } = await client.createPet(pet as NewPet, {
        idempotencyKey: recordKey(name, { line: row.line, pet }, digest),
        onReplayed: () => {
          state = 'present'
        },
        retries: RETRIES,
        signal,
      })
      Object.assign(row, { id, state })
    } catch (error) {
      if (!(error instanceof PetstoreApiError && RECORD_ERRORS.includes(error.code))) throw error
      Object.assign(row, { problems: toProblems(error.message), mistaken: true })
    }
    onRow()
  })
}

/** Browsers have their own digests on https only; nobody gains by making two texts alike (cyrb53, twice). */
function digest(text: string): string {
  let [h1, h2, h3, h4] = [0xdeadbeef, 0x41c6ce57, 0x9e3779b9, 0x85ebca6b]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    h1 = Math.imul(h1 ^ code, 2654435761)
    h2 = Math.imul(h2 ^ code, 1597334677)
    h3 = Math.imul((h3 << 5) ^ (h3 >>> 2) ^ code, 2246822507)
    h4 = Math.imul((h4 << 7) ^ (h4 >>> 3) ^ code, 3266489909)
  }
  return [h1, h2, h3, h4].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}
