// Creates, as every store takes them: those that arrive together are added together, each gets its own answer.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Created, NewPet, Pet, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { batched } from './group-commit.ts'

export interface Creation {
  pet: NewPet
  by: KeyId
  idempotencyKey?: string | undefined
}

export type Outcome = Created<Pet> | PetstoreError

/** `addAll` answers in the same order; what one of the batch is refused for stays its own: the others are added. */
export function creations(
  addAll: (batch: Creation[]) => Outcome[] | Promise<Outcome[]>,
  { onBatch }: StoreOptions,
): PetStore['createPet'] {
  const addOne = batched(addAll, onBatch)

  return async (pet, by, idempotencyKey) => {
    const outcome = await addOne({ pet, by, idempotencyKey })
    if (outcome instanceof PetstoreError) throw outcome
    return outcome
  }
}
