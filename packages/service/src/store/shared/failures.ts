// Errors that a caller gets if the database fails. The cause is only logged.

import { PetstoreError } from '../../domain/petstore-error.ts'

/** Completes a sentence about a store: "… cannot be used: a copy …". */
export const UNFINISHED_COPY =
  'a copy to it was not completed by an earlier version. Delete the file, or the tables of the database, and copy again'

export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', { cause })
}

export function storageFull(cause: unknown): PetstoreError {
  return new PetstoreError('storage_full', 'The store is full; nothing was changed. Try again later.', { cause })
}
