// The feed of events in SQLite. There is one writer at a time, so event ids follow the commit order.

import type { EventStore } from '../../../domain/events.ts'
import { type FeedDialect, type FeedRow, feedOf } from '../../shared/events.ts'
import type { Read, Statements } from '../connect/statements.ts'
import { SQLITE_JSON } from './pages.ts'

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
