// The index of search in SQLite, an FTS5 table of words for each list, and the rows that a search finds by it.

import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, conditionsOf, type List, ORDERS, PETS, planOf, rowsOf } from '../shared/lists.ts'
import { type FoundRow, indexedWords, type Walk, type WalkRange } from '../shared/search.ts'
import { SQLITE_JSON } from './json.ts'
import { parameter, walkSql } from './page-queries.ts'
import type { Read, Statements } from './statements.ts'

/** The index has the beginnings of words up to so many letters (migrations/0021-schema.sql). For a longer one it reads each word of it. */
const PREFIX_MAX = 3
/** Rows looked at along the filters before the index is used: few rows of many have a rare value. */
const FILTERED = 256
/** Rows of the index looked at in a step, for each of which FTS5 may read all rows of a word again; and those of them that come back at most. */
const STEP = { first: 256, max: 65_536, found: 1_024 }

/** Rows that are indexed at once. */
const ROWS = 1_000

type Value = bigint | number | string

type Table = 'pets' | 'orders'

/** Each change of a name or a reference calls it in its transaction, after all other writes: FTS5 keeps what it gets until it must write. */
export function searchIndex(statements: Statements) {
  const write = (how: string, table: Table) => {
    const statement = statements.query<never, [bigint, string]>(
      `${how} INTO search_${table} (rowid, words) VALUES (?, ?)`,
    )
    return (id: bigint, text: string) => void statement.run(id, indexedWords(text))
  }
  const add = { pets: write('INSERT', 'pets'), orders: write('INSERT', 'orders') }
  const set = { pets: write('INSERT OR REPLACE', 'pets'), orders: write('INSERT OR REPLACE', 'orders') }
  const read = (list: Pick<List<never>, 'table' | 'lookup' | 'searched'>) =>
    statements.query<[bigint, string], [bigint, number]>(
      `SELECT id, ${list.searched} FROM ${rowsOf(list)} WHERE id > ? ORDER BY id LIMIT +?`,
    )
  const rows = { pets: read(PETS), orders: read(ORDERS) }
  const remove = statements.query<never, [bigint]>('DELETE FROM search_pets WHERE rowid = ?')
  const ordersOf = statements.query<[bigint, string | null], [bigint]>(
    'SELECT id, reference FROM orders WHERE pet_id = ?',
  )
  /** What an order is found by. */
  const textOf = (reference: string | null | undefined, name: string) => `${reference ?? ''} ${name}`

  /** Indexes up to `limit` rows behind `after` that were written without it. Gives the last of them. */
  function addRows(table: Table, after: bigint, limit: number): bigint | undefined {
    const found = rows[table].values(after, limit)
    for (const [id, text] of found) set[table](id, text)
    return found.at(-1)?.[0]
  }

  return {
    addPet: add.pets,
    /** Its orders are found by its name, too. */
    renamePet(id: bigint, name: string) {
      set.pets(id, name)
      for (const [order, reference] of ordersOf.values(id)) set.orders(order, textOf(reference, name))
    },
    deletePet: (id: bigint) => void remove.run(id),
    /** `name`: of its pet. */
    addOrder: (id: bigint, reference: string | undefined, name: string) => add.orders(id, textOf(reference, name)),
    setOrder: (id: bigint, reference: string | undefined, name: string) => set.orders(id, textOf(reference, name)),
    addRows,
    /** Indexes all rows, which were written without it. Gives how many are done, at most. */
    *addAll(): Generator<number> {
      let done = 0
      for (const table of ['pets', 'orders'] as const) {
        for (let last: bigint | undefined = 0n; last !== undefined; ) {
          last = addRows(table, last, ROWS)
          done += ROWS
          yield done
        }
      }
    },
  }
}

export type RunQuery = (sql: string, ...values: Value[]) => Promise<unknown[][]>

/** For a store in memory, which no thread could open. */
export function inThisThread(statements: Statements, read: Read): RunQuery {
  return (sql, ...values) => read(() => statements.queryOnce<unknown[]>(sql).values(...values))
}

/** The rows that were looked at, up to the limit: how many, and the last of them. */
interface Looked {
  count: number
  last: bigint
  rows: FoundRow[]
}

export function sqliteSearch<Filter extends AnyFilter>(query: RunQuery, list: List<Filter>): Walk<Filter> {
  const json = jsonObject(list.columns, SQLITE_JSON)

  /** By the index where there are `words`, otherwise along the filters. */
  async function look(
    { filter, up }: WalkRange<Filter>,
    after: bigint,
    limit: number,
    words?: readonly string[],
  ): Promise<Looked> {
    const plan = planOf(list, filter)
    const { given } = plan
    const index = `search_${list.table}`
    const candidates = words
      ? `SELECT rowid FROM ${index} WHERE ${index} MATCH ${parameter(given.length)} AND rowid ${up ? '>' : '<='} ?1
         ORDER BY rowid ${up ? '' : 'DESC'} LIMIT +?2`
      : walkSql(list, plan, up, 'id')
    const where = conditionsOf(list, plan, parameter)
      .map((condition) => ` AND ${condition}`)
      .join('')
    const sql = `WITH candidate (found) AS MATERIALIZED (${candidates})
      SELECT count(*), ${up ? 'max' : 'min'}(found), NULL FROM candidate UNION ALL
      SELECT * FROM (
        SELECT ${list.table}.id, ${list.searched}, ${json} FROM candidate CROSS JOIN ${rowsOf(list, ' NOT INDEXED')}
        WHERE ${list.table}.id = found${where} LIMIT ${STEP.found})`
    const values = given.map((name) => filter[name] as Value)
    const [looked, ...rows] = await query(sql, after, limit, ...values, ...(words ? [matching(words)] : []))
    const [count, last] = looked as [bigint, bigint | null]
    const found = (rows as [bigint, string, string][]).map(([id, text, json]) => ({ id, text, json }))
    const isCut = found.length === STEP.found
    return {
      count: isCut ? limit : Number(count),
      last: (isCut ? found.at(-1)?.id : last) ?? after,
      rows: found,
    }
  }

  return async function* walk(range) {
    const { filter, words, up, count } = range
    let { after } = range
    const isFiltered = planOf(list, filter).given.length > 0
    const on = (last: bigint) => (up ? last : last - 1n)
    if (isFiltered) {
      const looked = await look(range, after, FILTERED)
      yield looked.rows
      if (looked.count < FILTERED) return
      after = on(looked.last)
    }
    // Where most rows have a longer word, its beginning finds them at once.
    const beginnings = words.map((word) => beginningOf(word))
    if (beginnings.some((beginning, place) => beginning !== words[place])) {
      const looked = await look(range, after, STEP.first, beginnings)
      yield looked.rows
      if (looked.count < STEP.first) return
      after = on(looked.last)
    }
    for (let limit = isFiltered ? STEP.first : count; ; limit = Math.min(4 * limit, STEP.max)) {
      const looked = await look(range, after, limit, words)
      yield looked.rows
      if (looked.count < limit) return
      after = on(looked.last)
    }
  }
}

/** Words are letters and digits: nothing of them has a meaning in a query. */
function matching(words: readonly string[]): string {
  return words.map((word) => `"${word}" *`).join(' AND ')
}

function beginningOf(word: string): string {
  return Array.from(word.slice(0, 2 * PREFIX_MAX))
    .slice(0, PREFIX_MAX)
    .join('')
}
