// The feed of events in PostgreSQL. Event ids are assigned under the lock that orders commits (write/commits.ts).

import type { EventStore } from '../../../domain/events.ts'
import { type FeedDialect, type FeedRow, feedOf } from '../../shared/events.ts'
import type { PrimaryConnection } from '../connect/primary.ts'
import { firstOf, limitFor } from './page-queries.ts'
import { POSTGRES_JSON } from './pages.ts'

/** With a filter, only its index can give the order: see page-queries.ts. */
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
