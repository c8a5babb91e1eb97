// The feed of events in SQLite. Whoever writes is alone, so the ids that a trigger gives (migrations/0009-events.sql) rise in the order of
// the commits.

import type { EventStore } from '../../domain/events.ts'
import { type AskFeed, placeFinder } from '../shared/event-places.ts'
import { eventPage, type FeedRow, type FeedRows, feedStatement, filtersOf } from '../shared/events.ts'
import { SQLITE_JSON } from './json.ts'
import type { Query, Read, Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

export const BEGIN_EPOCH = 'UPDATE event_epoch SET epoch = random() & 281474976710655'

const INDEXES: Readonly<Record<string, string>> = { pet_id: 'events_by_pet', order_id: 'events_by_order' }

/** An index is named, and gives the order (statements.ts says why). */
const rows =
  (limit: string): FeedRows =>
  (table, key, after, equal, conditions = []) => {
    const index = table === 'events' ? INDEXES[equal.at(-1)?.column ?? ''] : undefined
    const where = [
      ...equal.map(({ column, parameter }) => `${column} = ${parameter}`),
      ...conditions,
      `${key} > ${after}`,
    ]
    const indexed = index ? `INDEXED BY ${index}` : 'NOT INDEXED'
    return `${table} ${indexed} WHERE ${where.join(' AND ')} ${index ? '' : `ORDER BY ${key}`} LIMIT +${limit}`
  }

export function sqliteEvents(statements: Statements, read: Read, transact: Transact): EventStore {
  const built = new Map<string, Query<object, bigint[]>>()
  const beginEpoch = statements.query<never, []>(BEGIN_EPOCH)

  const ask = ((sql, ...parameters) => {
    const statement = built.get(sql) ?? statements.query<object, bigint[]>(sql.replaceAll('$', '?'))
    built.set(sql, statement)
    return read(() => statement.all(...parameters))
  }) as AskFeed

  return {
    async listEvents(filter) {
      const { equal, values } = filtersOf(filter)
      const sql = feedStatement(SQLITE_JSON, equal, rows(`$${values.length + 2}`))
      return eventPage(await ask<FeedRow>(sql, filter.after.id, ...values, BigInt(filter.limit)), filter)
    },
    findPlace: placeFinder(ask),
    beginEpoch: () => transact(() => void beginEpoch.run()),
  }
}
