// Pets in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { KeyId } from '../../domain/keys.ts'
import type { NewPet, Pet, PetStore } from '../../domain/pets.ts'
import { CREATE_PET } from '../shared/idempotency.ts'
import { PETS } from '../shared/lists.ts'
import { NEW_PET_COLUMNS } from '../shared/pet-columns.ts'
import { pages } from './pages.ts'
import type { PetChanges } from './pet-changes.ts'
import type { Read, Statements } from './statements.ts'
import type { Writes, WriteTransaction } from './writes.ts'

const NEW_PET_FIELDS = Object.keys(NEW_PET_COLUMNS) as (keyof NewPet)[]
const INSERT_COLUMNS = [...Object.values(NEW_PET_COLUMNS).map(({ column }) => column), 'created_at', 'created_by']

export function sqlitePets(
  statements: Statements,
  changes: PetChanges,
  read: Read,
  { write, writeOnce }: Writes,
): PetStore {
  const readPage = pages(statements, PETS)
  const insert = statements.query<never, (string | bigint | number | null)[]>(
    `INSERT INTO pets (${INSERT_COLUMNS}) VALUES (${INSERT_COLUMNS.map(() => '?')})`,
  )

  function add(pet: NewPet, by: KeyId, transaction: WriteTransaction): Pet {
    const { lastInsertRowid } = insert.run(...NEW_PET_FIELDS.map((field) => pet[field] ?? null), transaction.now, by)
    transaction.lastPetId = BigInt(lastInsertRowid)
    return { id: transaction.lastPetId, ...pet }
  }

  return {
    listPets: (filter) => read(() => readPage(filter)),
    createPet: (pet, by, idempotencyKey) =>
      writeOnce(CREATE_PET, pet, by, idempotencyKey, (transaction) => add(pet, by, transaction)),
    getPet: (id) => read(() => changes.read(id)),
    updatePet: (id, change, by, check) =>
      write(by, (transaction) => changes.update(transaction, id, change, by, check)),
    deletePet: (id, by, check) => write(by, (transaction) => changes.delete(transaction, id, by, check)),
  }
}
