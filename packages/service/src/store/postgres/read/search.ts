// The search index in PostgreSQL, a table of words with a GIN index for each list, and the search that uses it.

import type { Writes } from '../../../domain/decisions/working-copy.ts'
import type { Pet } from '../../../domain/pets.ts'
import { jsonObject } from '../../shared/columns.ts'
import { unavailable } from '../../shared/failures.ts'
import {
  type AnyFilter,
  conditionsOf,
  ORDERS,
  PETS,
  type Plan,
  planOf,
  rowsOf,
  type StoredList,
} from '../../shared/lists.ts'
import { type FoundRow, indexedWords, type Looked, type Walk, type WalkRange } from '../../shared/search.ts'
import { Pool } from '../connect/pool.ts'
import type { RunQuery } from '../connect/session.ts'
import { POSTGRES_JSON } from './json.ts'
import { limitFor, parameter, walkSql } from './page-queries.ts'

/** Rows read in a step along the list: before the index is used, and if the index has too many. */
const STEP = { first: 1_000, next: 5_000 }
/** Maximum number of index rows to sort. If the index has more, reading along the list finds a page sooner. */
const ORDERED_MAX = 20_000
/** The share of the connections that searches can use, and how long a search waits for one. */
const SHARE = 1 / 4
const QUEUE_MS = 10_000
/** Rows that are indexed in one statement. */
const ROWS = 1_000

type Indexed = readonly { id: bigint; text: string }[]

/** Sets the words of rows. The caller holds the lock that orders commits. */
async function setWords(query: RunQuery, table: 'pets' | 'orders', rows: Indexed): Promise<void> {
  const words = rows.map(({ id, text }) => ({ id: String(id), words: indexedWords(text) }))
  await query(
    `INSERT INTO search_${table} (id, words) SELECT id, ${vectorOf('words')} FROM json_to_recordset($1::text::json) AS rows (id bigint, words text)
     ON CONFLICT (id) DO UPDATE SET words = excluded.words`,
    JSON.stringify(words),
  )
}

/** Returns SQL for a tsvector without positions, whose number is limited. `words` is SQL. */
export function vectorOf(words: string): string {
  return `array_to_tsvector(string_to_array(${words}, ' '))`
}

/** Indexes the orders in a table `new` (see `indexedOrder`), with the words that their pets had before. */
export const INDEX_ORDERS = `INSERT INTO search_orders (id, words)
  SELECT id, ${vectorOf('words')} || coalesce((SELECT words FROM search_pets WHERE search_pets.id = pet_id), '') FROM new
  ON CONFLICT (id) DO UPDATE SET words = excluded.words RETURNING id`

export function indexedOrder({ id, petId, reference }: { id: bigint; petId: bigint; reference?: string | undefined }) {
  return { id, pet_id: petId, words: indexedWords(reference ?? '') }
}

/** Indexes renamed pets with their orders, which can be found by the name, and removes deleted pets. */
export async function indexPets(query: RunQuery, { petsChanged, petsDeleted }: Writes): Promise<void> {
  for (const { before, after } of petsChanged) if (before.name !== after.name) await renamePet(query, after)
  for (const { id } of petsDeleted) await query('DELETE FROM search_pets WHERE id = $1', id)
}

async function renamePet(query: RunQuery, { id, name }: Pet): Promise<void> {
  await setWords(query, 'pets', [{ id, text: name }])
  const orders = await query<{ id: bigint; reference: string | null }>(
    'SELECT id, reference FROM orders WHERE pet_id = $1',
    id,
  )
  const texts = orders.map(({ id, reference }) => ({ id, text: `${reference ?? ''} ${name}` }))
  for (let at = 0; at < texts.length; at += ROWS) await setWords(query, 'orders', texts.slice(at, at + ROWS))
}

/** Indexes up to `limit` rows after `after` that were written without it. */
export async function indexRows(
  query: RunQuery,
  table: 'pets' | 'orders',
  after: bigint,
  limit: number,
): Promise<void> {
  const list = table === 'pets' ? PETS : ORDERS
  const rows = await query<Indexed[number]>(
    `SELECT id, ${list.searched} AS text FROM ${rowsOf(list)} WHERE id > $1 ORDER BY id LIMIT ${limit}`,
    after,
  )
  await setWords(query, table, rows)
}

/** Like `read`, but uses only a share of the connections at a time. */
export function forSearches(read: RunQuery, connections: number): RunQuery {
  const places = [...Array(Math.max(1, Math.floor(connections * SHARE))).keys()]
  const pool = new Pool(places, QUEUE_MS, () => unavailable(new Error('too many searches wait')))
  return (statement, ...parameters) => pool.run(() => read(statement, ...parameters))
}

/** The number of rows read and the last one, or a candidate. */
type WalkRow = { looked: number; id: bigint | null; text: null } | ({ looked: null } & FoundRow)

export function postgresSearch<Filter extends AnyFilter>(read: RunQuery, list: StoredList<Filter>): Walk<Filter> {
  const { table, searched } = list
  const row = `SELECT id, ${searched} AS text, ${jsonObject(list.columns, POSTGRES_JSON)} AS json FROM ${rowsOf(list)}`

  async function look(
    { filter, words, up }: WalkRange<Filter>,
    after: bigint,
    sqlOf: (plan: Plan<Filter>, words: string) => string,
  ): Promise<Looked> {
    const plan = planOf(list, filter)
    const sql = sqlOf(plan, `${parameter(plan.given.length)}::text::tsquery`)
    const rows = await read<WalkRow>(sql, after, ...plan.values, matching(words))
    const looked = rows.find((row) => row.looked !== null)
    const found = rows.filter((row) => row.looked === null)
    // PostgreSQL does not guarantee the order of a UNION.
    found.sort((one, other) => (one.id < other.id === up ? -1 : 1))
    return { count: looked?.looked ?? 0, last: looked?.id ?? after, rows: found }
  }

  /** Reads the next `limit` rows of the list. */
  const alongList = (range: WalkRange<Filter>, after: bigint, limit: number) =>
    look(
      range,
      after,
      (plan, words) => `
      WITH candidate AS MATERIALIZED (${walkSql(list, plan, range.up, limit, 'id')})
      SELECT count(*)::int AS looked, ${range.up ? 'max' : 'min'}(id) AS id, NULL AS text, NULL AS json FROM candidate
      UNION ALL
      SELECT NULL, row.* FROM candidate CROSS JOIN LATERAL (
        ${row} WHERE id = candidate.id AND (SELECT words FROM search_${table} AS indexed WHERE indexed.id = candidate.id) @@ ${words} LIMIT 1
      ) AS row`,
    )

  /** Returns the next `count` candidates. If there are too many, returns none and a `count` above ORDERED_MAX. */
  const byIndex = (range: WalkRange<Filter>, after: bigint) =>
    look(range, after, (plan, words) => {
      const where = conditionsOf(list, plan, parameter)
      const filtered =
        where.length === 0
          ? ''
          : `CROSS JOIN LATERAL (SELECT FROM ${table} WHERE id = found.id AND ${where.join(' AND ')} LIMIT 1) AS row`
      return `
      WITH found AS MATERIALIZED (SELECT id FROM petstore_found_${table}(${words}, ${ORDERED_MAX + 1}) AS id),
      page AS MATERIALIZED (
        SELECT found.id FROM found ${filtered}
        WHERE found.id ${range.up ? '>' : '<='} $1 AND (SELECT count(*) FROM found) <= ${ORDERED_MAX}
        ORDER BY found.id ${range.up ? '' : 'DESC'} LIMIT ${range.count}
      )
      SELECT count(*)::int AS looked, NULL::bigint AS id, NULL AS text, NULL AS json FROM found
      UNION ALL
      SELECT NULL, row.* FROM page CROSS JOIN LATERAL (${row} WHERE id = page.id LIMIT 1) AS row`
    })

  return async function* walk(range) {
    const { up } = range
    const count = limitFor(range.count)
    const on = (last: bigint) => (up ? last : last - 1n)
    let { after } = range
    for (let limit = STEP.first; ; limit = STEP.next) {
      const looked = await alongList(range, after, limit)
      yield looked.rows
      if (looked.count < limit) return
      after = on(looked.last)
      // Tried only once: if the index has too many rows now, it will later.
      while (limit === STEP.first) {
        const found = await byIndex({ ...range, count }, after)
        if (found.count > ORDERED_MAX) break
        yield found.rows
        const last = found.rows.at(-1)
        if (!last || found.rows.length < count) return
        after = on(last.id)
      }
    }
  }
}

/** Words contain only letters and digits, so nothing needs escaping. */
function matching(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ')
}
