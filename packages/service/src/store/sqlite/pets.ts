// Pets in SQLite, as they are read. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { PetStore } from '../../domain/pets.ts'
import { PETS } from '../shared/lists.ts'
import { PET_COLUMNS } from '../shared/pet-columns.ts'
import { pages, rowById } from './pages.ts'
import type { Read, Statements } from './statements.ts'

export function sqlitePets(statements: Statements, read: Read): Pick<PetStore, 'listPets' | 'getPet'> {
  const readPage = pages(statements, PETS)
  const find = rowById(statements, PETS, PET_COLUMNS)
  return {
    listPets: (filter) => read(() => readPage(filter)),
    getPet: (id) => read(() => find(id)),
  }
}
