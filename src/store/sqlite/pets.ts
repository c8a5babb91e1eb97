// Animals in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { PetstoreError } from '../../errors.ts'
import type { KeyId } from '../../keys.ts'
import type { NewPet, Once, Page, Pet, PetFilter, PetStatus, PetStore } from '../../pets.ts'
import { type Creation, creations } from '../creations.ts'
import { replay } from '../idempotency.ts'
import type { StoreOptions } from '../store.ts'
import { translated } from './errors.ts'
import { sqliteIdempotencyKeys } from './idempotency.ts'
import type { Reads } from './reads.ts'
import type { Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

const COLUMNS = 'id, name, category_id AS categoryId, status'

export function sqlitePets(statements: Statements, reads: Reads, transact: Transact, options: StoreOptions): PetStore {
  const { now } = options
  const page = statements.query<Pet, [bigint, number]>(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const pageByStatus = statements.query<Pet, [PetStatus, bigint, number]>(
    `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const pet = statements.query<Pet, [bigint]>(`SELECT ${COLUMNS} FROM pets WHERE id = ?`)
  const insert = statements.query<never, [string, bigint, PetStatus, number, KeyId]>(
    'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
  )

  function readPage({ limit, status, after = 0n }: PetFilter): Page {
    const rows = status === undefined ? page.all(after, limit + 1) : pageByStatus.all(status, after, limit + 1)
    return { pets: rows.slice(0, limit), more: rows.length > limit }
  }

  const idempotencyKeys = sqliteIdempotencyKeys(statements)

  function createAll(batch: Creation[]): (Once | PetstoreError)[] {
    const at = now()
    return transact(() => {
      idempotencyKeys.sweep(at)
      return batch.map((creation) => createOrReplay(creation, at))
    })
  }

  function createOrReplay({ pet, by, idempotencyKey }: Creation, at: number): Once | PetstoreError {
    if (idempotencyKey === undefined) return { pet: add(pet, by, at), replayed: false }
    const first = idempotencyKeys.find(by, idempotencyKey, at)
    if (first) return replay(first, pet)
    const added = add(pet, by, at)
    idempotencyKeys.keep(by, idempotencyKey, added.id, at)
    return { pet: added, replayed: false }
  }

  function add({ name, categoryId, status }: NewPet, by: KeyId, at: number): Pet {
    const { lastInsertRowid } = insert.run(name, categoryId, status, at, by)
    return { id: BigInt(lastInsertRowid), name, categoryId, status }
  }

  return {
    listPets: async (filter) => translated(() => reads.read(() => readPage(filter))),
    ...creations(createAll, options),
    getPet: async (id) => translated(() => reads.read(() => pet.get(id) ?? undefined)),
  }
}
