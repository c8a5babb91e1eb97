// Adds the rows of a file, a few at a time, with the same Idempotency-Keys as the command line. Importing the same
// file again, even after corrections, adds nothing twice.

import { type NewPet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { RECORD_ERRORS, RecordKeys } from '../../../files/src/record-key.ts'
import { toProblems } from '../animal/field-problems.ts'
import { concurrently } from '../parts/concurrently.ts'
import { type ImportRow, isReady, petIn } from './rows.ts'

const RETRIES = 8

/**
 * Calls `onRow` after each row. A row that the service refuses becomes a mistake. Rejects if the service stays
 * unreachable.
 */
export async function addRows(
  client: PetstoreClient,
  name: string,
  rows: readonly ImportRow[],
  signal: AbortSignal,
  onRow: () => void,
): Promise<void> {
  const keys = new RecordKeys(name)
  // A corrected row can become equal to a later one that was added with the first key for this content.
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
