// Creates, as every store takes them: those that arrive together are added together, each gets its own answer.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { NewPet, Once, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { batched } from './group-commit.ts'

export interface Creation {
  pet: NewPet
  by: KeyId
  idempotencyKey?: string
}

/** `addAll` answers in the same order; what one of the batch is refused for stays its own: the others are added. */
export function creations(
  addAll: (batch: Creation[]) => (Once | PetstoreError)[] | Promise<(Once | PetstoreError)[]>,
  { onBatch }: StoreOptions,
): Pick<PetStore, 'createPet' | 'createPetOnce'> {
  const addOne = batched(addAll, onBatch)

  async function create(creation: Creation): Promise<Once> {
    const outcome = await addOne(creation)
    if (outcome instanceof PetstoreError) throw outcome
    return outcome
  }

  return {
    createPet: async (pet, by) => (await create({ pet, by })).pet,
    createPetOnce: (pet, by, idempotencyKey) => create({ pet, by, idempotencyKey }),
  }
}
