// What an Idempotency-Key means, in every store: the first pet that was created under it, for a day.

import { PetstoreError } from '../../domain/errors.ts'
import type { Created, NewPet, Pet } from '../../domain/pets.ts'
import { NEW_PET_COLUMNS } from './pet-columns.ts'

/** How long a key is remembered. After that it is as if it had never been used. */
export const KEPT_MS = 24 * 3600_000

/** What decides whether two requests ask for the same pet: every field that a client sends. */
const FIELDS = Object.keys(NEW_PET_COLUMNS) as (keyof NewPet)[]

/** What a later request under the same key gets: the first pet, or the error that it asks for another one. */
export function replay(first: Pet, pet: NewPet): Created<Pet> | PetstoreError {
  if (FIELDS.every((field) => first[field] === pet[field])) return { value: first, replayed: true }
  return new PetstoreError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
}
