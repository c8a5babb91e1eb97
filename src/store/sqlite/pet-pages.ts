// Pages of pets in SQLite, which writes the JSON of a page as one text.

import type { Page, PetFilter, PetStatus } from '../../domain/pets.ts'
import { jsonObject } from '../shared/columns.ts'
import { PET_COLUMNS } from '../shared/pet-columns.ts'
import { SQLITE_JSON } from './json.ts'
import type { Statements } from './statements.ts'

/** The pets, separated by commas, and how many they are. */
type Pets = [json: string | null, count: bigint]

const JSON_OF_PET = jsonObject(PET_COLUMNS, SQLITE_JSON)

export function petPages(statements: Statements): (filter: PetFilter) => Page {
  const inRange = statements.query<Pets, [bigint, number]>(
    `SELECT group_concat(${JSON_OF_PET}) FILTER (WHERE id <= ?1 + ?2), count(*) FROM pets WHERE id > ?1 AND id <= ?1 + ?2 + 1`,
  )
  const following = statements.query<Pets, [bigint, number]>(
    `SELECT group_concat(pet), count(*) FROM (SELECT ${JSON_OF_PET} AS pet FROM pets WHERE id > ? ORDER BY id LIMIT +?)`,
  )
  // In the order of the index.
  const followingWithStatus = statements.query<Pets, [PetStatus, bigint, number]>(
    `SELECT group_concat(pet), count(*)
     FROM (SELECT ${JSON_OF_PET} AS pet FROM pets INDEXED BY pets_by_status WHERE status = ? AND id > ? LIMIT +?)`,
  )

  return ({ limit, status, after = 0n }) => {
    if (status !== undefined) return firstOf(followingWithStatus.values(status, after, limit + 1)[0] as Pets, limit)
    // Ids nearly always follow each other without a gap: where the next `limit` are all there, and one more, they are the page.
    const [json, count] = inRange.values(after, limit)[0] as Pets
    if (count === BigInt(limit) + 1n) return { json: `[${json}]`, next: after + BigInt(limit) }
    return firstOf(following.values(after, limit + 1)[0] as Pets, limit)
  }
}

const START = '{"id":'
/** What stands between two pets. No name contains it: inside a JSON string, the quotation mark is escaped. */
const BETWEEN = `},${START}`

/** The page of the first `limit` pets, of up to one more. */
function firstOf([pets, count]: Pets, limit: number): Page {
  const json = pets ?? ''
  if (count <= limit) return { json: `[${json}]`, next: undefined }
  const end = json.lastIndexOf(BETWEEN) + 1
  const last = json.lastIndexOf(START, end)
  return { json: `[${json.slice(0, end)}]`, next: BigInt(json.slice(last + START.length, json.indexOf(',', last))) }
}
