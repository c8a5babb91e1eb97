// The animals of a page, exactly, as objects.

import { int64, parseJson } from '../../src/client/json.ts'
import type { Page, Pet, PetStatus } from '../../src/domain/pets.ts'

export function petsOf({ json }: Page): Pet[] {
  return (parseJson(json) as Record<'id' | 'name' | 'categoryId' | 'status', string>[]).map((pet) => ({
    id: int64(pet.id),
    name: pet.name,
    categoryId: int64(pet.categoryId),
    status: pet.status as PetStatus,
  }))
}
