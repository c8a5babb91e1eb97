// What an Idempotency-Key means, in every store: the first animal added under it, for a day.

import { PetstoreError } from '../../domain/errors.ts'
import type { Created, NewPet, Pet } from '../../domain/pets.ts'

/** How long a key is remembered. After that it is as if it had never been used. */
export const KEPT_MS = 24 * 3600_000

/** What a later request under the same key gets: the first animal, or the error that it asks for another one. */
export function replay(first: Pet, { name, categoryId, status }: NewPet): Created<Pet> | PetstoreError {
  if (first.name === name && first.categoryId === categoryId && first.status === status) {
    return { value: first, replayed: true }
  }
  return new PetstoreError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
}
