// A pet's columns, in both stores.

import type { NewPet, Pet } from '../../domain/pets.ts'
import type { Columns } from './columns.ts'

/** What a client sends. */
export const NEW_PET_COLUMNS: Columns<NewPet> = {
  name: { column: 'name', kind: 'text' },
  categoryId: { column: 'category_id', kind: 'integer' },
  status: { column: 'status', kind: 'word' },
}

export const PET_COLUMNS: Columns<Pet> = {
  id: { column: 'id', kind: 'integer' },
  ...NEW_PET_COLUMNS,
}
