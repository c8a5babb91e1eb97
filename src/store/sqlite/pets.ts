// Animals in SQLite. One writer at a time gives ids in the order of commits, so a page's cursor can never be overtaken.

import type { Database } from 'bun:sqlite'
import type { KeyId } from '../../keys.ts'
import type { NewPet, Page, Pet, PetFilter, PetStatus, PetStore } from '../../pets.ts'
import { batched } from '../batch.ts'
import type { StoreOptions } from '../store.ts'
import { translated } from './errors.ts'
import type { Freshness } from './freshness.ts'
import type { Transact } from './transaction.ts'

const COLUMNS = 'id, name, category_id AS categoryId, status'
const PAGES_MAX = 1000

export function sqlitePets(
  database: Database,
  transact: Transact,
  freshness: Freshness,
  { now }: StoreOptions,
): PetStore {
  const page = database.query<Pet, [bigint, number]>(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const pageByStatus = database.query<Pet, [PetStatus, bigint, number]>(
    `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const pet = database.query<Pet, [bigint]>(`SELECT ${COLUMNS} FROM pets WHERE id = ?`)
  const insert = database.query<never, [string, bigint, PetStatus, number, KeyId]>(
    'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
  )

  function readPage({ limit, status, after = 0n }: PetFilter): Page {
    const rows = status === undefined ? page.all(after, limit + 1) : pageByStatus.all(status, after, limit + 1)
    return { pets: rows.slice(0, limit), more: rows.length > limit }
  }

  /** Pages as they were read, all under one stamp: the same page object as long as nothing was written. */
  const pages = new Map<string, Page>()
  let stamp = -1

  function freshPage(filter: PetFilter): Page {
    // The stamp is taken before reading: what is written in between makes the page too fresh for it, never stale.
    const current = freshness.stamp()
    if (current !== stamp || pages.size >= PAGES_MAX) pages.clear()
    stamp = current
    const name = `${filter.limit} ${filter.status} ${filter.after}`
    let found = pages.get(name)
    if (!found) {
      found = readPage(filter)
      pages.set(name, found)
    }
    return found
  }

  function insertAll(batch: { pet: NewPet; by: KeyId }[]): Pet[] {
    const createdAt = now()
    return transact(() =>
      batch.map(({ pet: { name, categoryId, status }, by }) => {
        const { lastInsertRowid } = insert.run(name, categoryId, status, createdAt, by)
        return { id: BigInt(lastInsertRowid), name, categoryId, status }
      }),
    )
  }

  const createOne = batched(insertAll)

  return {
    listPets: async (filter) => translated(() => freshPage(filter)),
    createPet: (pet, by) => createOne({ pet, by }),
    getPet: async (id) => translated(() => pet.get(id) ?? undefined),
  }
}
