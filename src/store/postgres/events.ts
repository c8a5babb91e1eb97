// The feed of events in PostgreSQL. Events get their ids under the lock that orders the commits (functions/order-events.sql).

import type { EventStore } from '../../domain/events.ts'
import { type AskFeed, placeFinder } from '../shared/event-places.ts'
import { eventPage, type FeedRow, type FeedRows, feedStatement, filtersOf } from '../shared/events.ts'
import type { PrimaryConnection } from './connection.ts'
import { POSTGRES_JSON } from './json.ts'

export const BEGIN_EPOCH = `UPDATE event_epoch SET epoch = ('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint
  RETURNING epoch`

/** With a filter, only its index gives the order (pages.ts says why), and the limit is part of the statement. */
const rows = (limit: number): FeedRows => ({
  // Without LATERAL the planner would read all events behind the place.
  ofOrders: (petId, first) => `SELECT events.*
    FROM (SELECT id FROM orders WHERE pet_id = ${petId} AND id >= ${first} ORDER BY pet_id, id) AS held CROSS JOIN LATERAL (
      SELECT * FROM events WHERE order_id = held.id AND id > $1 ORDER BY order_id, id LIMIT ${limit}
    ) AS events
    ORDER BY held.id, events.id LIMIT ${limit}`,
  of(table, key, after, equal, conditions = []) {
    const by = table === 'events' ? equal.at(-1) : undefined
    const where = equal.filter((one) => one !== by).map(({ column, parameter }) => `${column} = ${parameter}`)
    const behind = by
      ? `(${by.column}, ${key}) > (${by.parameter}, ${after}) AND ${by.column} <= ${by.parameter}`
      : `${key} > ${after}`
    const order = by ? `${by.column}, ${key}` : key
    return `${table} WHERE ${[...where, ...conditions, behind].join(' AND ')} ORDER BY ${order} LIMIT ${limit}`
  },
})

export function postgresEvents(connection: PrimaryConnection): EventStore {
  const { read } = connection
  return {
    async listEvents(filter) {
      const { equal, values } = filtersOf(filter)
      const sql = feedStatement(POSTGRES_JSON, equal, rows(filter.limit))
      return eventPage(await read<FeedRow>(sql, filter.after.id, ...values), filter)
    },
    findPlace: placeFinder(read as AskFeed),
    beginEpoch: async () => {
      await connection.transaction(({ ask }) => ask(BEGIN_EPOCH))
    },
  }
}
