// The feed of events in SQLite. Whoever writes is alone, so the ids that a trigger gives (migrations/0009-events.sql) rise in the order of
// the commits.

import type { EventType } from '../../contract/generated.ts'
import type { EventStore } from '../../domain/events.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Pet } from '../../domain/pets.ts'
import { stringifyJson } from '../../json/json.ts'
import { type AskFeed, placeFinder } from '../shared/event-places.ts'
import { eventPage, type FeedRow, type FeedRows, feedStatement, filtersOf, keepAsAdded } from '../shared/events.ts'
import { SQLITE_JSON } from './json.ts'
import type { Query, Read, Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

export const BEGIN_EPOCH = 'UPDATE event_epoch SET epoch = random() & 281474976710655'

const INDEXES: Readonly<Record<string, string>> = { pet_id: 'events_of_pets', order_id: 'events_by_order' }

/** An index is named, and gives the order (statements.ts says why). */
const rows = (limit: string): FeedRows => ({
  ofOrders: (petId, first) => `SELECT events.* FROM orders INDEXED BY orders_by_pet
    CROSS JOIN events INDEXED BY events_by_order ON events.order_id = orders.id
    WHERE orders.pet_id = ${petId} AND orders.id >= ${first} AND events.id > $1
    ORDER BY orders.id, events.id LIMIT ${limit}`,
  of(table, key, after, equal, conditions = []) {
    const index = table === 'events' ? INDEXES[equal.at(-1)?.column ?? ''] : undefined
    const where = [
      ...equal.map(({ column, parameter }) => `${column} = ${parameter}`),
      ...conditions,
      `${key} > ${after}`,
    ]
    const indexed = index ? `INDEXED BY ${index}` : 'NOT INDEXED'
    return `${table} ${indexed} WHERE ${where.join(' AND ')} ${index ? '' : `ORDER BY ${key}`} LIMIT ${limit}`
  },
})

export interface NewEvent {
  readonly type: EventType
  readonly at: number
  readonly by: KeyId
  readonly petId: bigint
  readonly orderId?: bigint
  /** The pet as the event shows it. */
  readonly pet?: Pet
}

/** Writes the events of corrections, in the transaction of the change. Those of orders that are moved are written by a trigger. */
export class EventWriter {
  private readonly insert
  private readonly keep

  constructor(statements: Statements) {
    this.insert = statements.query<never, [string, number, KeyId, bigint, bigint | null, string | null]>(
      `INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id, pet)
       SELECT last_pet + ifnull(n, 0) + 1, last_pet, ?, ?, ?, ?, ?, ?
       FROM (SELECT seq AS last_pet FROM sqlite_sequence WHERE name = 'pets'),
         (SELECT (SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1) AS n)`,
    )
    this.keep = statements.query<never, [bigint]>(keepAsAdded(SQLITE_JSON, '?'))
  }

  add({ type, at, by, petId, orderId, pet }: NewEvent): void {
    this.insert.run(type, at, by, petId, orderId ?? null, pet ? stringifyJson(pet) : null)
  }

  /** To be called before a pet is corrected or deleted. */
  keepAsAdded(petId: bigint): void {
    this.keep.run(petId)
  }
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
      const sql = feedStatement(SQLITE_JSON, equal, rows(`+$${values.length + 2}`))
      return eventPage(await ask<FeedRow>(sql, filter.after.id, ...values, BigInt(filter.limit)), filter)
    },
    findPlace: placeFinder(ask),
    beginEpoch: () => transact(() => void beginEpoch.run()),
  }
}
