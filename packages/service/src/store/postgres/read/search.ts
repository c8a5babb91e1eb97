// Searches in PostgreSQL, which use a table of words with a GIN index for each list (write/search-index.ts).

import { unavailable } from '../../shared/failures.ts'
import { type AnyFilter, boundOf, type Plan, planOf, rowsOf, type StoredList } from '../../shared/lists.ts'
import { jsonObject } from '../../shared/rows.ts'
import type { FoundRow, Looked, Walk, WalkRange } from '../../shared/search.ts'
import { Pool } from '../connect/pool.ts'
import type { PrimaryConnection } from '../connect/primary.ts'
import type { RunQuery } from '../connect/session.ts'
import { conditions, limitFor, parameter, walkSql } from './page-queries.ts'
import { POSTGRES_JSON } from './pages.ts'

/** How many rows of the list are read before the share of the rows with the words is estimated. */
const FIRST = 1_000
/**
 * If a greater share of the rows has the words, the list and the table of words are read side by side in the order of
 * their ids, until the page is complete. Otherwise, all rows with the words are read and sorted. With a filter, each of
 * them must be looked up in the list, which costs five times as much.
 */
const MANY = 0.45
const MANY_FILTERED = 0.1
/** How many pages of the table of words the estimate reads. */
const SAMPLED = 64
/** How many rows are read together after a first page with false positives. */
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

/** Counts the rows of a list up to a limit. */
export function counter<Filter>(read: ReadWith, list: StoredList<Filter>) {
  return async (filter: Filter, max: number): Promise<number> => {
    const plan = planOf(list, filter)
    const sql = `SELECT count(*) AS count FROM (${walkSql(list, plan, true, max, 'id')}) AS counted`
    const [row] = (await read(undefined, sql, boundOf(true), ...plan.values)) as { count: bigint }[]
    return Number(row?.count)
  }
}

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
      const where = [`${table}.id = indexed.id`, ...conditions(list, plan)].join(' AND ')
      // The sum keeps PostgreSQL from reading the table in the order of its ids.
      return `SELECT indexed.id FROM (
          SELECT id + 0 AS id FROM search_${table}
          WHERE words @@ ${words} AND id + 0 ${range.up ? '>' : '<='} $1 ORDER BY 1 ${range.up ? '' : 'DESC'}
        ) AS indexed CROSS JOIN LATERAL (SELECT FROM ${table} WHERE ${where} LIMIT 1) AS row ${next(range.up, count)}`
    })

  /** Reads the table of words and the list in the order of their ids. */
  const inOrder = (range: WalkRange<Filter>, after: bigint, count: number) =>
    look(range, after, READ_IN_ORDER, (plan, words) => {
      const filtered = conditions(list, plan)
      const on = `${range.up ? '>' : '<='} $1`
      const listed =
        filtered.length === 0
          ? ''
          : `JOIN ${table} ON ${[`${table}.id = indexed.id`, `${table}.id ${on}`, ...filtered].join(' AND ')}`
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
    const many = planOf(list, range.filter).given.length > 0 ? MANY_FILTERED : MANY
    const further = (estimate?.share ?? 0) > many ? inOrder : fromAll
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
