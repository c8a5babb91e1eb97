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
import type { PrimaryConnection } from '../connect/primary.ts'
import type { RunQuery } from '../connect/session.ts'
import { POSTGRES_JSON } from './json.ts'
import { limitFor, parameter, walkSql } from './page-queries.ts'

/** How many rows of the list are read before the share of the rows with the words is estimated. */
const FIRST = 1_000
/**
 * If a greater share of the rows has the words, the list and the table of words are read side by side in the order of
 * their ids, until the page is complete. Otherwise, all rows with the words are read and sorted.
 */
const MANY = 1 / 20
/** How many pages of the table of words the estimate reads. */
const SAMPLED = 64
/** How many rows are read at once after a first page with false positives. */
const MORE = 5_000
/**
 * Settings that leave PostgreSQL one plan for each statement. Its estimates without statistics, or with old ones, can
 * lead to a plan that takes 40 times as long.
 */
const READ_ALL = { enable_seqscan: 'off', jit: 'off' }
const READ_IN_ORDER = {
  ...READ_ALL,
  ...Object.fromEntries(
    ['bitmapscan', 'hashjoin', 'nestloop', 'sort', 'incremental_sort'].map((name) => [`enable_${name}`, 'off']),
  ),
}
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

/** Runs a statement with these settings of the planner. */
type ReadWith = (settings: Settings | undefined, ...statement: Parameters<RunQuery>) => ReturnType<RunQuery>
type Settings = Parameters<PrimaryConnection['readWith']>[0]

/** Uses only a share of the connections at a time. */
export function forSearches({ read, readWith }: PrimaryConnection, connections: number): ReadWith {
  const places = [...Array(Math.max(1, Math.floor(connections * SHARE))).keys()]
  const pool = new Pool(places, QUEUE_MS, () => unavailable(new Error('too many searches wait')))
  return (settings, ...call) => pool.run(() => (settings ? readWith(settings, ...call) : read(...call)))
}

/** The number of rows read and the last one, or a candidate. */
type WalkRow = { looked: number; id: bigint | null; text: null } | ({ looked: null } & FoundRow)

export function postgresSearch<Filter extends AnyFilter>(read: ReadWith, list: StoredList<Filter>): Walk<Filter> {
  const { table, searched } = list
  const row = `SELECT id, ${searched} AS text, ${jsonObject(list.columns, POSTGRES_JSON)} AS json FROM ${rowsOf(list)}`
  const sample = `SELECT coalesce(avg((words @@ $1::text::tsquery)::int), 0)::float8 AS share FROM search_${table}
    TABLESAMPLE SYSTEM (least(100, ${100 * SAMPLED} / greatest(pg_relation_size('search_${table}') / 8192.0, 1)))`

  /** `candidates` returns SQL for a table of ids, given the conditions and the parameter for the words. */
  async function look(
    { filter, words, up }: WalkRange<Filter>,
    after: bigint,
    settings: Settings | undefined,
    candidates: (plan: Plan<Filter>, words: string) => string,
  ): Promise<Looked> {
    const plan = planOf(list, filter)
    const query = `${parameter(plan.given.length)}::text::tsquery`
    const sql = `WITH candidate AS MATERIALIZED (${candidates(plan, query)})
      SELECT count(*)::int AS looked, ${up ? 'max' : 'min'}(id) AS id, NULL AS text, NULL AS json FROM candidate
      UNION ALL
      SELECT NULL, row.* FROM candidate CROSS JOIN LATERAL (
        ${row} WHERE id = candidate.id AND (SELECT words FROM search_${table} AS indexed WHERE indexed.id = candidate.id) @@ ${query} LIMIT 1
      ) AS row`
    const rows = (await read(settings, sql, after, ...plan.values, matching(words))) as WalkRow[]
    const looked = rows.find((row) => row.looked !== null)
    const found = rows.filter((row) => row.looked === null)
    // PostgreSQL does not guarantee the order of a UNION.
    found.sort((one, other) => (one.id < other.id === up ? -1 : 1))
    return { count: looked?.looked ?? 0, last: looked?.id ?? after, rows: found }
  }

  /** The end of a statement for the next `count` ids of the table `indexed`. */
  const next = (up: boolean, count: number) => `ORDER BY indexed.id ${up ? '' : 'DESC'} LIMIT ${count}`

  /** Reads the next rows of the list, whether they have the words or not. */
  const firstRows = (range: WalkRange<Filter>) =>
    look(range, range.after, undefined, (plan) => walkSql(list, plan, range.up, FIRST, 'id'))

  /** Reads all rows with the words. */
  const fromAll = (range: WalkRange<Filter>, after: bigint, count: number) =>
    look(range, after, READ_ALL, (plan, words) => {
      const where = [`${table}.id = indexed.id`, ...conditionsOf(list, plan, parameter)].join(' AND ')
      // The sum keeps PostgreSQL from reading the table in the order of its ids.
      return `SELECT indexed.id FROM (
          SELECT id + 0 AS id FROM search_${table}
          WHERE words @@ ${words} AND id + 0 ${range.up ? '>' : '<='} $1 ORDER BY 1 ${range.up ? '' : 'DESC'}
        ) AS indexed CROSS JOIN LATERAL (SELECT FROM ${table} WHERE ${where} LIMIT 1) AS row ${next(range.up, count)}`
    })

  /** Reads the table of words and the list in the order of their ids. */
  const inOrder = (range: WalkRange<Filter>, after: bigint, count: number) =>
    look(range, after, READ_IN_ORDER, (plan, words) => {
      const conditions = conditionsOf(list, plan, parameter)
      const on = `${range.up ? '>' : '<='} $1`
      const listed =
        conditions.length === 0
          ? ''
          : `JOIN ${table} ON ${[`${table}.id = indexed.id`, `${table}.id ${on}`, ...conditions].join(' AND ')}`
      // Unlike the operator, its function cannot use the index of words.
      return `SELECT indexed.id FROM search_${table} AS indexed ${listed}
        WHERE indexed.id ${on} AND ts_match_vq(words, ${words}) ${next(range.up, count)}`
    })

  return async function* walk(range) {
    const on = (last: bigint) => (range.up ? last : last - 1n)
    const first = await firstRows(range)
    yield first.rows
    if (first.count < FIRST) return
    const [estimate] = (await read(undefined, sample, matching(range.words))) as { share: number }[]
    const further = (estimate?.share ?? 0) > MANY ? inOrder : fromAll
    let after = on(first.last)
    for (let count = limitFor(range.count); ; count = MORE) {
      const found = await further(range, after, count)
      yield found.rows
      if (found.count < count) return
      after = on(found.last)
    }
  }
}

/** Words contain only letters and digits, so nothing needs escaping. */
function matching(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ')
}
