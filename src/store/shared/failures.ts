// The errors that a caller gets when the database fails. The cause is for the log.

import { PetstoreError } from '../../domain/errors.ts'

export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', { cause })
}

export function storageFull(cause: unknown): PetstoreError {
  return new PetstoreError('storage_full', 'The store is full; nothing was changed. Try again later.', { cause })
}
