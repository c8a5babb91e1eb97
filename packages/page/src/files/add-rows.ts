// Adds the rows of a file, a few at a time. Each has an Idempotency-Key, as the command line's import has: the same file again, also after it
// was corrected, adds nothing twice.

import { type NewPet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { RECORD_ERRORS, RecordKeys } from '../../../files/src/record-key.ts'
import { toProblems } from '../animal/field-problems.ts'
import { concurrently } from '../parts/concurrently.ts'
import { type ImportRow, isReady, petIn } from './rows.ts'

const RETRIES = 8

/**
 * `name`: of the import. `onRow` is called after each. What the service refuses becomes a mistake of its row. Rejects when the service
 * cannot be reached for long, or refuses all; the rows that were added are known.
 */
export async function addRows(
  client: PetstoreClient,
  name: string,
  rows: readonly ImportRow[],
  signal: AbortSignal,
  onRow: () => void,
): Promise<void> {
  const keys = new RecordKeys(name)
  // A corrected row may become equal to a later one, which was added with the first key for this content.
  const taken = new Set(rows.filter(({ state }) => state !== 'open').map(({ key }) => key))
  await concurrently(rows.filter(isReady), async (row) => {
    const pet = petIn(row.cells)
    let key = keys.next(pet)
    while (taken.has(key)) key = keys.next(pet)
    let state: ImportRow['state'] = 'added'
    try {
      const { id } = await client.createPet(pet as NewPet, {
        idempotencyKey: key,
        onReplayed: () => {
          state = 'present'
        },
        retries: RETRIES,
        signal,
      })
      Object.assign(row, { id, state, key })
    } catch (error) {
      if (!(error instanceof PetstoreApiError && RECORD_ERRORS.includes(error.code))) throw error
      Object.assign(row, { problems: toProblems(error.message), mistaken: true })
    }
    onRow()
  })
}
