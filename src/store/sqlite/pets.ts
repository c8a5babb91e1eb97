// Pets in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { KeyId } from '../../domain/keys.ts'
import type { NewPet, Pet, PetStore } from '../../domain/pets.ts'
import { fieldsOf } from '../shared/columns.ts'
import { CREATE_PET } from '../shared/idempotency.ts'
import { PETS } from '../shared/lists.ts'
import { NEW_PET_COLUMNS } from '../shared/pet-columns.ts'
import type { EventWriter } from './events.ts'
import { pages } from './pages.ts'
import type { PetChanges } from './pet-changes.ts'
import type { Read, Statements } from './statements.ts'
import type { Writes, WriteTransaction } from './writes.ts'

const { fields: FIELDS, names: COLUMNS } = fieldsOf(NEW_PET_COLUMNS)

export function sqlitePets(
  statements: Statements,
  changes: PetChanges,
  events: EventWriter,
  read: Read,
  { write, writeOnce }: Writes,
): PetStore {
  const readPage = pages(statements, PETS)
  const insert = statements.query<never, (string | bigint | number | null)[]>(
    `INSERT INTO pets (${COLUMNS}, created_at, created_by) VALUES (${COLUMNS.map(() => '?')}, ?, ?)`,
  )

  function add(pet: NewPet, by: KeyId, transaction: WriteTransaction): Pet {
    const { lastInsertRowid } = insert.run(...FIELDS.map((field) => pet[field] ?? null), transaction.now, by)
    const added = { id: BigInt(lastInsertRowid), ...pet }
    transaction.lastPetId = added.id
    events.add(transaction, { type: 'pet.added', at: transaction.now, by, petId: added.id, pet: added })
    return added
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
