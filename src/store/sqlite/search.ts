// The index of search in SQLite, and the rows that it is compared with.

import { FOLDING } from '../../domain/words.ts'
import { type FoundRow, type SearchTables, walkedRows } from '../search/tables.ts'
import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, type List, type Plan, planOf, rowsOf } from '../shared/lists.ts'
import { SQLITE_JSON } from './json.ts'
import type { Query, Read, Statements } from './statements.ts'
import type { Transact } from './transaction.ts'
import { parameter, walkSql } from './walks.ts'

type Value = bigint | number | string
/** For `transact`. */
export const IN_BACKGROUND = { keepsKeys: true, mayBeLost: true }
type Text = [id: bigint, text: string]

/** `size`: the ids of a segment. */
export function sqliteSearchTables<Filter extends AnyFilter>(
  statements: Statements,
  read: Read,
  transact: Transact,
  list: List<Filter>,
  size: number,
): SearchTables<Filter> {
  const { number, searched } = list
  const index = `list = ${number} AND folding = ${FOLDING}`
  const segments = statements.query<[bigint], [bigint]>(
    `SELECT segment FROM search_segments WHERE ${index} AND segment >= ? ORDER BY segment`,
  )
  const rowsFrom = statements.query<Text, [bigint, number]>(
    `SELECT id, ${searched} FROM ${rowsOf(list)} WHERE id >= ? ORDER BY id LIMIT +?`,
  )
  const changes = statements.query<[bigint, bigint, string | null], [bigint, number]>(
    `SELECT search_changes.id, row_id, (SELECT ${searched} FROM ${rowsOf(list)} WHERE ${list.table}.id = row_id)
     FROM search_changes INDEXED BY search_changes_by_list WHERE list = ${number} AND search_changes.id >= ? LIMIT +?`,
  )
  const terms = statements.query<[bigint, Uint8Array], [string, string, string]>(
    `SELECT segment, ids FROM json_each(?) CROSS JOIN search_terms
     WHERE ${index} AND segment = value AND term >= ? AND term <= ?`,
  )
  const lastSegment = statements.query<[bigint | null], []>(`SELECT max(segment) FROM search_segments WHERE ${index}`)
  const end = statements.query<[bigint | null, bigint | null], [bigint]>(
    `SELECT (SELECT min(id) FROM ${list.table} WHERE id >= ?), (SELECT max(id) FROM ${list.table})`,
  )
  const isThere = statements.query<[bigint], [bigint]>(`SELECT 1 FROM search_segments WHERE ${index} AND segment = ?`)
  const addTerm = statements.query<never, [bigint, string, Uint8Array]>(
    `INSERT OR REPLACE INTO search_terms (list, folding, segment, term, ids) VALUES (${number}, ${FOLDING}, ?, ?, ?)`,
  )
  const addSegment = statements.query<never, [bigint]>(
    `INSERT INTO search_segments (list, folding, segment) VALUES (${number}, ${FOLDING}, ?)`,
  )
  const asked = planned<Filter, [bigint, string, string]>(
    statements,
    list,
    ({ given }) => `SELECT ${list.table}.id, ${searched}, ${jsonObject(list.columns, SQLITE_JSON)}
      FROM (SELECT value AS wanted FROM json_each(?1)) CROSS JOIN ${rowsOf(list, ' NOT INDEXED')}
      WHERE ${[`${list.table}.id = wanted`, ...given.map((name, place) => `${list.filters[name]} = ${parameter(place)}`)].join(' AND ')} LIMIT +?2`,
  )
  // A text of ASCII alone folds to what `lower` makes of it. Another one has more bytes than characters, or U+0000, where `length` ends.
  const walk = (up: boolean) =>
    planned<Filter, [number | bigint, bigint | null, string]>(
      statements,
      list,
      (
        plan,
      ) => `SELECT count(*), ${up ? 'max' : 'min'}(id), json_group_array(json_array(CAST(id AS text), text)) FILTER (
          WHERE octet_length(text) <> length(text) OR instr(lower(text), ${parameter(plan.given.length)}) > 0)
        FROM (${walkSql(list, plan, up, `id, ${searched} AS text`)})`,
    )
  const [walkUp, walkDown] = [walk(true), walk(false)]

  return {
    news: ({ segment, row, change }, limit) =>
      read(() => ({
        segments: segments.values(segment).flat(),
        rows: rowsFrom.values(row, limit),
        changes: changes.values(change, limit),
      })),
    idsOf: (of, { first, last }) => read(() => terms.values(`[${of}]`, first, last)),
    rows: (ids, filter) =>
      read(() => asked(filter, `[${ids}]`, ids.length).map(([id, text, json]): FoundRow => ({ id, text, json }))),
    walk: (filter, after, up, limit, word) =>
      read(() => {
        const [[looked, last, rows] = [0, null, '[]']] = (up ? walkUp : walkDown)(filter, after, limit, word)
        return { looked: Number(looked), last: last ?? undefined, rows: walkedRows(rows) }
      }),
    end: () =>
      read(() => {
        const segment = lastSegment.values()[0]?.[0]
        const behind = typeof segment === 'bigint' ? (segment + 1n) * BigInt(size) : -(2n ** 63n)
        const [first, last] = end.values(behind)[0] ?? [null, null]
        return { first: first ?? undefined, last: last ?? undefined }
      }),
    write: (segment, of, isLast) =>
      transact(() => {
        if (isThere.values(segment).length > 0) return false
        for (const [term, ids] of of) addTerm.run(segment, term, ids)
        if (isLast) addSegment.run(segment)
        return true
      }, IN_BACKGROUND),
  }
}

/** A statement for each combination of filters; their values come behind the limit, and others behind those. */
function planned<Filter extends AnyFilter, Row>(
  statements: Statements,
  list: List<Filter>,
  sqlOf: (plan: Plan<Filter>) => string,
): (filter: Filter, first: Value, limit: number, ...more: Value[]) => Row[] {
  const built = new Map<string, Query<Row, Value[]>>()
  return (filter, first, limit, ...more) => {
    const plan = planOf(list, filter)
    const name = `${plan.index?.name} ${plan.given}`
    const statement = built.get(name) ?? statements.query<Row, Value[]>(sqlOf(plan))
    built.set(name, statement)
    return statement.values(first, limit, ...plan.given.map((given) => filter[given] as Value), ...more)
  }
}
