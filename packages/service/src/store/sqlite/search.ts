// The index of search in SQLite, an FTS5 table of words for each list, and the rows that a search finds by it.

import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, conditionsOf, type List, ORDERS, PETS, planOf, rowsOf } from '../shared/lists.ts'
import { type FoundRow, indexedWords, type Walk, type WalkRange } from '../shared/search.ts'
import { SQLITE_JSON } from './json.ts'
import type { Read, Statements } from './statements.ts'
import { parameter, walkSql } from './walks.ts'

/** The index has the beginnings of words up to so many letters (migrations/0021-schema.sql). For a longer one it reads each word of it. */
const PREFIX_MAX = 3
/** Rows looked at along the filters before the index is used: few rows of many have a rare value. */
const FILTERED = 256
/** Rows of the index looked at in a step, for each of which FTS5 may read all rows of a word again; and those of them that come back at most. */
const STEP = { first: 256, max: 65_536, found: 1_024 }

/** Rows that are indexed at once. */
const ROWS = 1_000

type Value = bigint | number | string

/** Each change of a name or a reference calls it in its transaction, after all other writes: FTS5 keeps what it gets until it must write. */
export class SearchIndex {
  private readonly sql: ReturnType<typeof prepared>

  constructor(statements: Statements) {
    this.sql = prepared(statements)
  }

  addPet(id: bigint, name: string): void {
    this.sql.addPet.run(id, indexedWords(name))
  }

  /** Its orders are found by its name, too. */
  renamePet(id: bigint, name: string): void {
    this.sql.setPet.run(id, indexedWords(name))
    for (const [order, reference] of this.sql.ordersOf.values(id)) this.setOrder(order, reference, name)
  }

  deletePet(id: bigint): void {
    this.sql.deletePet.run(id)
  }

  /** By its reference and the name of its pet. */
  addOrder(id: bigint, reference: string | undefined, name: string): void {
    this.sql.addOrder.run(id, indexedWords(`${reference ?? ''} ${name}`))
  }

  setOrder(id: bigint, reference: string | null | undefined, name: string): void {
    this.sql.setOrder.run(id, indexedWords(`${reference ?? ''} ${name}`))
  }

  /** Indexes all rows, which were written without it. Gives how many are done, at most. */
  *addAll(): Generator<number> {
    let done = 0
    for (const table of ['pets', 'orders'] as const) {
      for (let last: bigint | undefined = 0n; last !== undefined; ) {
        last = this.addRows(table, last, ROWS)
        done += ROWS
        yield done
      }
    }
  }

  /** Indexes up to `limit` rows behind `after` that were written without it. Gives the last of them. */
  addRows(table: 'pets' | 'orders', after: bigint, limit: number): bigint | undefined {
    const { rows, set } =
      table === 'pets'
        ? { rows: this.sql.pets, set: this.sql.setPet }
        : { rows: this.sql.orders, set: this.sql.setOrder }
    const found = rows.values(after, limit)
    for (const [id, text] of found) set.run(id, indexedWords(text))
    return found.at(-1)?.[0]
  }
}

function prepared(statements: Statements) {
  const write = (how: string, table: string) =>
    statements.query<never, [bigint, string]>(`${how} INTO ${table} (rowid, words) VALUES (?, ?)`)
  const rows = (list: List<never>) =>
    statements.query<[bigint, string], [bigint, number]>(
      `SELECT id, ${list.searched} FROM ${rowsOf(list)} WHERE id > ? ORDER BY id LIMIT +?`,
    )
  return {
    addPet: write('INSERT', 'search_pets'),
    setPet: write('INSERT OR REPLACE', 'search_pets'),
    deletePet: statements.query<never, [bigint]>('DELETE FROM search_pets WHERE rowid = ?'),
    addOrder: write('INSERT', 'search_orders'),
    setOrder: write('INSERT OR REPLACE', 'search_orders'),
    ordersOf: statements.query<[bigint, string | null], [bigint]>('SELECT id, reference FROM orders WHERE pet_id = ?'),
    pets: rows(PETS as List<never>),
    orders: rows(ORDERS as List<never>),
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
