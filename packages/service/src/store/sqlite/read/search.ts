// Searches in SQLite, which use an FTS5 table of words for each list (write/row-writer.ts).

import { type AnyFilter, boundOf, planOf, rowsOf, type StoredList } from '../../shared/lists.ts'
import { jsonObject } from '../../shared/rows.ts'
import type { Looked, Walk, WalkRange } from '../../shared/search.ts'
import { BUSY_TIMEOUT_MS, type SqliteConnection } from '../connect/connection.ts'
import type { Read, Statements, Value } from '../connect/statements.ts'
import { Thread } from '../connect/thread.ts'
import { BLOCK_BITS, letterOf } from '../write/row-writer.ts'
import { conditions, parameter, walkSql } from './page-queries.ts'
import { SQLITE_JSON } from './pages.ts'

/**
 * FTS5 indexes prefixes of up to this many letters after the block's character (migrations/0021-schema.sql). For a
 * longer prefix, it reads every word that starts with it.
 */
const PREFIX_MAX = 3
/** How many rows are read with the filters' indexes first. The word index is slow if few rows match the filters. */
const FILTERED = 256
/**
 * How many rows of the word index a step reads at first and at most, and how many rows it returns at most (`found`).
 * Steps grow, because FTS5 can read all rows of a word again in each step.
 */
const STEP = { first: 256, max: 65_536, found: 1_024 }

export type RunQuery = (sql: string, ...values: Value[]) => Promise<unknown[][]>

/** A thread cannot open an in-memory store. */
export function inThisThread(statements: Statements, read: Read): RunQuery {
  return (sql, ...values) => read(() => statements.queryOnce<unknown[]>(sql).values(...values))
}

/**
 * Runs searches of a file in a thread with its own connection, because a search can read millions of index entries and
 * must not block other requests. Concurrent searches take turns, step by step.
 */
export function searchThread(connection: SqliteConnection): { query: RunQuery; stop: () => Promise<void> } {
  const thread = new Thread({ path: connection.database.filename, readonly: true, waitMs: BUSY_TIMEOUT_MS })
  // The thread opens the file by its path. By then, another file can be there.
  const query: RunQuery = (sql, ...values) => thread.query(sql, values).finally(() => connection.check())
  return { query, stop: () => thread.stop() }
}

/** Counts the rows of a list up to a limit. */
export function counter<Filter>(query: RunQuery, list: StoredList<Filter>) {
  return async (filter: Filter, max: number): Promise<number> => {
    const plan = planOf(list, filter)
    const rows = walkSql(list, plan, true, 'id')
    const [row] = await query(`SELECT count(*) FROM (${rows})`, boundOf(true), BigInt(max), ...plan.values)
    return Number(row?.[0])
  }
}

export function sqliteSearch<Filter extends AnyFilter>(query: RunQuery, list: StoredList<Filter>): Walk<Filter> {
  const json = jsonObject(list.columns, SQLITE_JSON)

  /** Reads a step: of the word index, within a block, if `indexed` is given; otherwise of the filters' indexes. */
  async function look(
    { filter, up }: WalkRange<Filter>,
    after: bigint,
    limit: number,
    indexed?: { words: readonly string[]; block: bigint },
  ): Promise<Looked> {
    const plan = planOf(list, filter)
    const { given } = plan
    const index = `search_${list.table}`
    const candidates = indexed
      ? `SELECT rowid FROM ${index} WHERE ${index} MATCH ${parameter(given.length)} AND rowid ${up ? '>' : '<='} ?1
         AND rowid ${up ? '<=' : '>'} ${parameter(given.length + 1)} ORDER BY rowid ${up ? '' : 'DESC'} LIMIT +?2`
      : walkSql(list, plan, up, 'id')
    const where = [`${list.table}.id = found`, ...conditions(list, plan)].join(' AND ')
    const sql = `WITH candidate (found) AS MATERIALIZED (${candidates})
      SELECT count(*), ${up ? 'max' : 'min'}(found), NULL FROM candidate UNION ALL
      SELECT * FROM (
        SELECT ${list.table}.id, ${list.searched}, ${json} FROM candidate CROSS JOIN ${rowsOf(list, `${list.table} NOT INDEXED`)}
        WHERE ${where} LIMIT ${STEP.found})`
    const search = indexed ? [matching(indexed.block, indexed.words), endOf(indexed.block, up)] : []
    const [looked, ...rows] = await query(sql, after, limit, ...plan.values, ...search)
    const [count, last] = looked as [bigint, bigint | null]
    const found = (rows as [bigint, string, string][]).map(([id, text, json]) => ({ id, text, json }))
    const isCut = found.length === STEP.found
    return {
      count: isCut ? limit : Number(count),
      last: (isCut ? found.at(-1)?.id : last) ?? after,
      rows: found,
    }
  }

  /** Returns the block of the next row after `after`, or `undefined` if there are no more rows. */
  async function blockOf(after: bigint, up: boolean): Promise<bigint | undefined> {
    const where = up ? '>' : '<='
    const [[id] = []] = await query(`SELECT ${up ? 'min' : 'max'}(id) FROM ${list.table} WHERE id ${where} ?1`, after)
    return typeof id === 'bigint' ? id >> BLOCK_BITS : undefined
  }

  return async function* walk(range) {
    const { filter, up, count } = range
    let { after } = range
    const isFiltered = planOf(list, filter).given.length > 0
    const on = (last: bigint) => (up ? last : last - 1n)
    if (isFiltered) {
      const looked = await look(range, after, FILTERED)
      yield looked.rows
      if (looked.count < FILTERED) return
      after = on(looked.last)
    }
    const first = isFiltered ? STEP.first : count
    for (let block = await blockOf(after, up); block !== undefined; block = await blockOf(after, up)) {
      for (const { words, limit } of stepsOf(range.words, first)) {
        const looked = await look(range, after, limit, { words, block })
        yield looked.rows
        if (looked.count < limit) break
        after = on(looked.last)
      }
      after = endOf(block, up)
    }
  }
}

/** Yields the words and the number of rows for each step of a walk within a block, without end. */
function* stepsOf(words: readonly string[], first: number): Generator<{ words: readonly string[]; limit: number }> {
  // First looks up only the indexed prefixes of long words, which is faster if most rows with them match.
  const beginnings = words.map(beginningOf)
  if (beginnings.some((beginning, place) => beginning !== words[place])) yield { words: beginnings, limit: STEP.first }
  for (let limit = first; ; limit = Math.min(4 * limit, STEP.max)) yield { words, limit }
}

/** Returns where a walk leaves the block: at its last id going up, or at the id before its first going down. */
function endOf(block: bigint, up: boolean): bigint {
  return ((up ? block + 1n : block) << BLOCK_BITS) - 1n
}

/** Words contain only letters and digits, so nothing needs escaping. */
function matching(block: bigint, words: readonly string[]): string {
  return words.map((word) => `"${letterOf(block)}${word}" *`).join(' AND ')
}

function beginningOf(word: string): string {
  return Array.from(word.slice(0, 2 * PREFIX_MAX))
    .slice(0, PREFIX_MAX)
    .join('')
}
