// Pages of lists and of the feed of events in SQLite, which writes the JSON of a list's page as one text. There is one
// statement for each combination of filters, in the order of the index that it names.

import type { EventStore } from '../../../domain/events.ts'
import type { Page } from '../../../domain/lists.ts'
import { type FeedDialect, type FeedRow, feedOf } from '../../shared/events.ts'
import {
  type AnyFilter,
  boundOf,
  type Found,
  goesUp,
  type Plan,
  pageOf,
  planOf,
  rowsOf,
  type StoredList,
} from '../../shared/lists.ts'
import { type Columns, fromRow, type JsonDialect, jsonObject, selectList } from '../../shared/rows.ts'
import type { Query, Read, Statements } from '../connect/statements.ts'
import { otherSide, walkSql } from './page-queries.ts'

// SQL for JSON in SQLite.

export const SQLITE_JSON: JsonDialect = {
  text: (column) => `json_quote(${column})`,
  // Integer arithmetic only: SQLite computes fractions of a second from a floating-point number of days.
  time: (column) =>
    `strftime('"%Y-%m-%dT%H:%M:%S.', ${column} / 1000, 'unixepoch'), printf('%03dZ"', ${column} % 1000)`,
}

/** The rows as JSON separated by commas, their number, and whether there are rows on the other side of the start. */
type Answer = [json: string | null, count: bigint, beyond: bigint]

export function rowById<Row>(
  statements: Statements,
  read: Read,
  list: Pick<StoredList<never>, 'table' | 'lookup'>,
  columns: Columns<Row>,
): (id: bigint) => Promise<Row | undefined> {
  const byId = statements.query<object>(`SELECT ${selectList(columns)} FROM ${rowsOf(list)} WHERE id = ?`)
  return (id) =>
    read(() => {
      const row = byId.get(id)
      return row ? fromRow(columns, row) : undefined
    })
}

export function pages<Filter extends AnyFilter>(statements: Statements, read: Read, list: StoredList<Filter>) {
  const json = jsonObject(list.columns, SQLITE_JSON)
  const built = new Map<string, Query<Answer>>()
  const inRange = statements.query<[json: string, count: bigint]>(
    `SELECT group_concat(${json}) FILTER (WHERE id > ?1 AND id <= ?1 + ?2), count(*)
     FROM ${rowsOf(list)} WHERE id >= ?1 AND id <= ?1 + ?2 + 1`,
  )

  function statementFor(plan: Plan<Filter>, up: boolean): Query<Answer> {
    return built.getOrInsertComputed(`${plan.index?.name} ${plan.given} ${up}`, () => {
      const rows = walkSql(list, plan, up, `id, ${json} AS row`)
      return statements.query(`SELECT group_concat(row), count(*), ${otherSide(list, plan, up)} FROM (${rows})`)
    })
  }

  function page(filter: Filter): Page {
    const { limit, after } = filter
    const up = goesUp(filter)
    const from = after ?? boundOf(up)
    const plan = planOf(list, filter)
    if (up && !filter.back && plan.given.length === 0) {
      // Ids rarely have gaps. If the start's id, the next `limit` ids and one more all exist, they are the page.
      const beyond = from > 0n
      const [json, count] = inRange.values(from, limit)[0] as [string, bigint]
      if (count === BigInt(limit + (beyond ? 2 : 1)))
        return pageOf(filter, { rows: json, first: from + 1n, last: from + BigInt(limit), more: true, beyond })
    }
    const [answer] = statementFor(plan, up).values(from, limit + 1, ...plan.values)
    return pageOf(filter, foundIn(answer as Answer, filter))
  }

  return (filter: Filter) => read(() => page(filter))
}

const START = '{"id":'
/** The text between two rows. It cannot occur inside a JSON string, where quotation marks are escaped. */
const BETWEEN = `},${START}`

/** Takes the first `limit` rows of up to one more. */
function foundIn([json, count, beyond]: Answer, { limit, back }: AnyFilter): Found {
  const more = count > limit
  const read = json ?? ''
  const shown = more ? read.slice(0, read.lastIndexOf(BETWEEN) + 1) : read
  const rows = back
    ? shown
        .split(/,(?=\{"id":)/)
        .reverse()
        .join()
    : shown
  return {
    rows,
    first: idAt(rows, rows.indexOf(START)),
    last: idAt(rows, rows.lastIndexOf(START)),
    more,
    beyond: beyond === 1n,
  }
}

function idAt(rows: string, start: number): bigint | undefined {
  return start < 0 ? undefined : BigInt(rows.slice(start + START.length, rows.indexOf(',', start)))
}

// The feed of events in SQLite. There is one writer at a time, so event ids follow the commit order.

const INDEXES: Readonly<Record<string, string>> = {
  pet_id: 'events_by_pet',
  order_id: 'events_by_order',
  type: 'events_by_type',
}

/** Each query names an index and uses its order if possible (see statements.ts). */
const FEED: FeedDialect = {
  json: SQLITE_JSON,
  limit: (limit, give) => `+${give(BigInt(limit))}`,
  cut: (page) => page,
  least: (one, other) => `min(${one}, ${other})`,
  rows({ along, conditions, above, below, up, limit }) {
    const is = along ? [`${along.column} = ${along.parameter}`] : []
    const where = [...is, ...conditions, `id > ${above}`, `id < ${below}`]
    const indexed = along ? `INDEXED BY ${INDEXES[along.column]}` : 'NOT INDEXED'
    const order = along && up ? '' : `ORDER BY id ${up ? '' : 'DESC'}`
    return `events ${indexed} WHERE ${where.join(' AND ')} ${order} LIMIT ${limit}`
  },
}

export function sqliteEvents(statements: Statements, read: Read): EventStore {
  return feedOf(FEED, (sql, values) => read(() => statements.queryOnce<FeedRow>(sql).all(...values)))
}
