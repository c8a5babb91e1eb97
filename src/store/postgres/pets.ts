// Animals in PostgreSQL. The table itself makes those who add take turns (its migration says why), so that ids rise in
// the order of commits and a page's cursor is never overtaken, whichever server adds.

import type { KeyId } from '../../keys.ts'
import type { NewPet, Page, Pet, PetFilter, PetStore } from '../../pets.ts'
import { batched } from '../batch.ts'
import { shared } from '../shared.ts'
import type { StoreOptions } from '../store.ts'
import type { Connection } from './connection.ts'

const COLUMNS = 'id, name, category_id AS "categoryId", status'
const PAGE = `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`
const PAGE_BY_STATUS = `SELECT ${COLUMNS} FROM pets WHERE id > $1 AND status = $3 ORDER BY id LIMIT $2`
const PETS = `SELECT ${COLUMNS} FROM pets WHERE id = ANY($1::text::bigint[])`
// Ids are taken in the order of the rows. JSON carries the batch because it holds any text but U+0000; integers of 64
// bits travel as strings.
const INSERT = `
  INSERT INTO pets (name, category_id, status, created_at, created_by)
  SELECT name, category_id, status, $2::bigint, created_by
  FROM ROWS FROM (
    json_to_recordset($1::text::json) AS (name text, category_id bigint, status text, created_by bigint)
  ) WITH ORDINALITY AS new (name, category_id, status, created_by, place)
  ORDER BY place
  RETURNING id`

export function postgresPets({ ask, add }: Connection, { now }: StoreOptions): PetStore {
  const page = shared<Page>()

  async function readPage({ limit, status, after = 0n }: PetFilter): Promise<Page> {
    const rows =
      status === undefined
        ? await ask<Pet>(PAGE, after, limit + 1)
        : await ask<Pet>(PAGE_BY_STATUS, after, limit + 1, status)
    return { pets: rows.slice(0, limit), more: rows.length > limit }
  }

  async function readPets(ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await ask<Pet>(PETS, `{${ids.join(',')}}`)
    const found = new Map(rows.map((pet) => [pet.id, pet]))
    return ids.map((id) => found.get(id))
  }

  async function insertAll(batch: { pet: NewPet; by: KeyId }[]): Promise<Pet[]> {
    const rows = batch.map(({ pet: { name, categoryId, status }, by }) => ({
      name,
      category_id: String(categoryId),
      status,
      created_by: String(by),
    }))
    const ids = (await add<{ id: bigint }>(INSERT, JSON.stringify(rows), now())).map(({ id }) => id)
    // They were taken in order, but need not be told in order.
    ids.sort((a, b) => (a < b ? -1 : 1))
    return batch.map(({ pet: { name, categoryId, status } }, index) => ({
      id: ids[index] as bigint,
      name,
      categoryId,
      status,
    }))
  }

  const createOne = batched(insertAll)

  return {
    listPets: (filter) => page(`${filter.limit} ${filter.status} ${filter.after}`, () => readPage(filter)),
    createPet: (pet, by) => createOne({ pet, by }),
    getPet: batched(readPets),
  }
}
