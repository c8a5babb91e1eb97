// Pets in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { KeyId } from '../../domain/keys.ts'
import type { NewPet, Page, Pet, PetFilter, PetStatus, PetStore } from '../../domain/pets.ts'
import { fromRow, jsonObject, selectList } from '../shared/columns.ts'
import { CREATE_PET } from '../shared/idempotency.ts'
import { type PageRow, pageOf } from '../shared/page.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../shared/pet-columns.ts'
import { SQLITE_JSON } from './json.ts'
import type { Read, Statements } from './statements.ts'
import type { Turn, Write } from './writes.ts'

const JSON_OF_PET = jsonObject(PET_COLUMNS, SQLITE_JSON)
const NEW_PET_FIELDS = Object.keys(NEW_PET_COLUMNS) as (keyof NewPet)[]
const INSERT_COLUMNS = [...Object.values(NEW_PET_COLUMNS).map(({ column }) => column), 'created_at', 'created_by']

export function sqlitePets(statements: Statements, read: Read, write: Write): PetStore {
  const fullPage = statements.query<[string | null, bigint], [bigint, number]>(
    `SELECT '[' || group_concat(${JSON_OF_PET}) FILTER (WHERE id <= ?1 + ?2) || ']', count(*)
     FROM pets WHERE id > ?1 AND id <= ?1 + ?2 + 1`,
  )
  const page = statements.query<PageRow, [bigint, number]>(
    `SELECT id, ${JSON_OF_PET} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  )
  // Up to the pet after the page; without one, there is no row.
  const fullPageByStatus = statements.query<[string, bigint] | [null, null], [PetStatus, bigint, number]>(
    `SELECT '[' || group_concat(${JSON_OF_PET}) || ']', max(id) FROM pets WHERE status = ?1 AND id > ?2
     AND id < (SELECT id FROM pets WHERE status = ?1 AND id > ?2 ORDER BY id LIMIT 1 OFFSET ?3)`,
  )
  const pageByStatus = statements.query<PageRow, [PetStatus, bigint, number]>(
    `SELECT id, ${JSON_OF_PET} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const pet = statements.query<object, [bigint]>(`SELECT ${selectList(PET_COLUMNS)} FROM pets WHERE id = ?`)
  const insert = statements.query<never, (string | bigint | number | null)[]>(
    `INSERT INTO pets (${INSERT_COLUMNS}) VALUES (${INSERT_COLUMNS.map(() => '?')})`,
  )

  function readPage({ limit, status, after = 0n }: PetFilter): Page {
    if (status !== undefined) {
      const [full, next] = fullPageByStatus.values(status, after, limit)[0] ?? []
      if (full != null && next != null) return { json: full, next }
      return pageOf(pageByStatus.values(status, after, limit + 1), limit)
    }
    // Ids nearly always follow each other without a gap: where the next `limit` are all there, and one more, they are the page.
    const [json, count] = fullPage.values(after, limit)[0] as [string, bigint]
    if (count === BigInt(limit) + 1n) return { json, next: after + BigInt(limit) }
    return pageOf(page.values(after, limit + 1), limit)
  }

  function add(pet: NewPet, by: KeyId, turn: Turn): Pet {
    const { lastInsertRowid } = insert.run(...NEW_PET_FIELDS.map((field) => pet[field] ?? null), turn.now, by)
    turn.lastPetId = BigInt(lastInsertRowid)
    return { id: turn.lastPetId, ...pet }
  }

  function readPet(id: bigint): Pet | undefined {
    const row = pet.get(id)
    return row ? fromRow(PET_COLUMNS, row) : undefined
  }

  return {
    listPets: (filter) => read(() => readPage(filter)),
    createPet: (pet, by, idempotencyKey) =>
      write((turn) =>
        turn.idempotencyKeys.once(CREATE_PET, pet, by, idempotencyKey, turn.now, () => add(pet, by, turn)),
      ),
    getPet: (id) => read(() => readPet(id)),
  }
}
