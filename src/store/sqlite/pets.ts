// Animals in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { KeyId } from '../../domain/keys.ts'
import type { NewPet, Page, Pet, PetFilter, PetStatus, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { type Creation, creations, type Outcome } from '../shared/creations.ts'
import { replay } from '../shared/idempotency.ts'
import { type PetRow, pageOf, petJson } from '../shared/page.ts'
import { sqliteIdempotencyKeys } from './idempotency.ts'
import type { Read } from './reads.ts'
import type { Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

const COLUMNS = 'id, name, category_id AS categoryId, status'
const JSON_OF_PET = petJson('json_quote(name)')

export function sqlitePets(statements: Statements, read: Read, transact: Transact, options: StoreOptions): PetStore {
  const { now } = options
  const fullPage = statements.query<[string | null, bigint], [bigint, number]>(
    `SELECT '[' || group_concat(${JSON_OF_PET}) FILTER (WHERE id <= ?1 + ?2) || ']', count(*)
     FROM pets WHERE id > ?1 AND id <= ?1 + ?2 + 1`,
  )
  const page = statements.query<PetRow, [bigint, number]>(
    `SELECT id, ${JSON_OF_PET} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const pageByStatus = statements.query<PetRow, [PetStatus, bigint, number]>(
    `SELECT id, ${JSON_OF_PET} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const pet = statements.query<Pet, [bigint]>(`SELECT ${COLUMNS} FROM pets WHERE id = ?`)
  const insert = statements.query<never, [string, bigint, PetStatus, number, KeyId]>(
    'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
  )

  function readPage({ limit, status, after = 0n }: PetFilter): Page {
    if (status !== undefined) return pageOf(pageByStatus.values(status, after, limit + 1), limit)
    // Ids nearly always follow each other without a gap: where the next `limit` are all there, and one more, they are the page.
    const [json, count] = fullPage.values(after, limit)[0] as [string, bigint]
    if (count === BigInt(limit) + 1n) return { json, next: after + BigInt(limit) }
    return pageOf(page.values(after, limit + 1), limit)
  }

  const idempotencyKeys = sqliteIdempotencyKeys(statements)

  function createAll(batch: Creation[]): Promise<Outcome[]> {
    const at = now()
    return transact(() => {
      idempotencyKeys.sweep(at)
      return batch.map((creation) => createOrReplay(creation, at))
    })
  }

  function createOrReplay({ pet, by, idempotencyKey }: Creation, at: number): Outcome {
    if (idempotencyKey === undefined) return { value: add(pet, by, at), replayed: false }
    const first = idempotencyKeys.find(by, idempotencyKey, at)
    if (first) return replay(first, pet)
    const added = add(pet, by, at)
    idempotencyKeys.keep(by, idempotencyKey, added.id, at)
    return { value: added, replayed: false }
  }

  function add({ name, categoryId, status }: NewPet, by: KeyId, at: number): Pet {
    const { lastInsertRowid } = insert.run(name, categoryId, status, at, by)
    return { id: BigInt(lastInsertRowid), name, categoryId, status }
  }

  return {
    listPets: (filter) => read(() => readPage(filter)),
    createPet: creations(createAll, options),
    getPet: (id) => read(() => pet.get(id) ?? undefined),
  }
}
