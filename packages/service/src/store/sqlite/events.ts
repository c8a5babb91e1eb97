// The feed of events in SQLite. Whoever writes is alone, so the ids that are given here rise in the order of the commits.

import type { EventStore, NewEvent } from '../../domain/events.ts'
import {
  endOf,
  endQuery,
  eventPage,
  type FeedDialect,
  type FeedRow,
  feedQuery,
  NEW_EVENT_COLUMNS,
  rowOf,
} from '../shared/events.ts'
import { SQLITE_JSON } from './json.ts'
import { inserter, type Read, type Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

export const BEGIN_EPOCH = 'UPDATE event_epoch SET epoch = random() & 281474976710655'

const COLUMNS = Object.keys(NEW_EVENT_COLUMNS) as (keyof typeof NEW_EVENT_COLUMNS)[]
const INDEXES: Readonly<Record<string, string>> = {
  pet_id: 'events_by_pet',
  order_id: 'events_by_order',
  type: 'events_by_type',
}

/** An index is named, and gives the order by itself where it can (statements.ts says why). */
const FEED: FeedDialect = {
  json: SQLITE_JSON,
  limit: (limit, give) => `+${give(BigInt(limit))}`,
  least: (one, other) => `min(${one}, ${other})`,
  rows({ along, conditions, above, below, up, limit }) {
    const is = along ? [`${along.column} = ${along.parameter}`] : []
    const where = [...is, ...conditions, `id > ${above}`, `id < ${below}`]
    const indexed = along ? `INDEXED BY ${INDEXES[along.column]}` : 'NOT INDEXED'
    const order = along && up ? '' : `ORDER BY id ${up ? '' : 'DESC'}`
    return `events ${indexed} WHERE ${where.join(' AND ')} ${order} LIMIT ${limit}`
  },
}

/** Writes events, in the order of the feed, in the transaction of their changes. */
export function eventWriter(statements: Statements): (events: readonly NewEvent[]) => void {
  const insert = inserter(statements, 'events', ['reached', ...COLUMNS])
  const latest = statements.query<{ reached: bigint }, []>(
    'SELECT reached FROM events INDEXED BY events_by_time WHERE reached IS NOT NULL ORDER BY reached DESC LIMIT 1',
  )
  return (events) => {
    if (events.length === 0) return
    let last = Number(latest.get()?.reached ?? Number.NEGATIVE_INFINITY)
    const rows = events.map((event) => {
      const row = rowOf(event)
      const reached = row.at > last ? row.at : null
      last = Math.max(last, row.at)
      return [reached, ...COLUMNS.map((column) => row[column])]
    })
    insert(rows)
  }
}

export function sqliteEvents(statements: Statements, read: Read, transact: Transact): EventStore {
  const endEpoch = statements.query<never, [bigint]>(`${BEGIN_EPOCH} WHERE epoch = ?`)
  const end = statements.query<FeedRow, []>(endQuery(SQLITE_JSON))

  return {
    async listEvents(filter) {
      const { sql, values } = feedQuery(FEED, filter)
      return eventPage(await read(() => statements.queryOnce<FeedRow>(sql.replaceAll('$', '?')).all(...values)), filter)
    },
    findEnd: async () => endOf(await read(() => end.all())),
    endEpoch: (epoch) => transact(() => void endEpoch.run(epoch)),
  }
}
