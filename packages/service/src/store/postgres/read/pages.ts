// Rows of a list in PostgreSQL, by page or by id, and pages of the feed of events. Each combination of filters has a statement that is
// planned once per connection: planning takes a quarter of the time of a page, a third with a status.

import type { EventStore } from '../../../domain/events.ts'
import type { Page } from '../../../domain/lists.ts'
import { type FeedDialect, type FeedRow, feedOf } from '../../shared/events.ts'
import { batched } from '../../shared/group-commit.ts'
import { type AnyFilter, boundOf, goesUp, pageOfRows, planOf, rowsOf, type StoredList } from '../../shared/lists.ts'
import { type Columns, fromRow, type JsonDialect, jsonObject, selectList } from '../../shared/rows.ts'
import type { PrimaryConnection } from '../connect/primary.ts'
import type { RunQuery } from '../connect/session.ts'
import { firstOf, limitFor, parameter, walkSql } from './page-queries.ts'

export const POSTGRES_JSON: JsonDialect = {
  text: (column) => `to_json(${column})`,
  // A time is a bigint: milliseconds since 1970.
  time: (column) =>
    `'"', to_char(timestamp 'epoch' + ${column} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'`,
}

/** A row without an id means that there are rows on the other side of the start. */
interface PageRow {
  id: bigint | null
  json: string
}

export function pages<Filter extends AnyFilter>(read: RunQuery, list: StoredList<Filter>) {
  const columns = `id, ${jsonObject(list.columns, POSTGRES_JSON)} AS json`

  return async (filter: Filter): Promise<Page> => {
    const { limit, after } = filter
    const plan = planOf(list, filter)
    const up = goesUp(filter)
    const walk = walkSql(list, plan, up, limitFor(limit + 1), columns)
    const found = firstOf(walk, parameter(plan.given.length))
    // Nothing precedes the start of a list. EXISTS would ignore the index order and could read the whole table.
    const sql =
      after === undefined
        ? found
        : `SELECT * FROM (${found}) AS page UNION ALL
      SELECT NULL, NULL FROM (${walkSql(list, plan, !up, 1, 'id')}) AS beyond`
    // Reading one text costs a tenth of reading a row as an object and serializing it.
    const rows = await read<PageRow>(sql, after ?? boundOf(up), ...plan.values, limit + 1)
    const shown = rows.filter((row): row is PageRow & { id: bigint } => row.id !== null)
    return pageOfRows(filter, shown, shown.length < rows.length)
  }
}

/** Returns one row, if it exists. Concurrent calls share one query. */
export function rowsById<Of extends { id: bigint }>(
  read: RunQuery,
  list: Pick<StoredList<never>, 'table' | 'lookup'>,
  columns: Columns<Of>,
): (id: bigint) => Promise<Of | undefined> {
  const sql = `SELECT ${selectList(columns)} FROM ${rowsOf(list)} WHERE id = ANY($1::text::bigint[])`
  return batched(async (ids: bigint[]) => {
    const rows = await read<Of>(sql, `{${ids}}`)
    const found = new Map(rows.map((row) => [row.id, fromRow(columns, row)]))
    return ids.map((id) => found.get(id))
  })
}

// The feed of events in PostgreSQL. Event ids are assigned under the lock that orders commits (write/commits.ts).

/** Only the index of a filter can give the order: see page-queries.ts. */
const FEED: FeedDialect = {
  json: POSTGRES_JSON,
  limit: (limit) => String(limitFor(limit)),
  cut: (page, limit, give) => firstOf(page, give(BigInt(limit))),
  least: (one, other) => `least(${one}, ${other})`,
  rows({ along, conditions, above, below, up, limit }) {
    const [key, value] = along
      ? [`(${along.column}, id)`, (id: string) => `(${along.parameter}, ${id})`]
      : ['id', String]
    // The index is partial.
    const indexed = along?.column === 'order_id' ? ['order_id IS NOT NULL'] : []
    // Without statistics, PostgreSQL could prefer the index of another condition, but IS TRUE cannot use it.
    const others = conditions.map((condition) => `(${condition}) IS TRUE`)
    const where = [...indexed, ...others, `${key} > ${value(above)}`, `${key} < ${value(below)}`]
    const down = up ? '' : ' DESC'
    const order = along ? `${along.column}${down}, id${down}` : `id${down}`
    return `events WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ${limit}`
  },
}

export function postgresEvents({ read }: PrimaryConnection): EventStore {
  return feedOf(FEED, (sql, values) => read<FeedRow>(sql, ...values))
}
