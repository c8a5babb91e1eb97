// The feed of events in SQLite. Whoever writes is alone, so the ids that are given here (migrations/0009-events.sql says how) rise in the order
// of the commits.

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
import type { FeedEnd, WriteTransaction } from './writes.ts'

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
  /** `null` where the service itself did it. */
  readonly by: KeyId | null
  readonly petId: bigint
  readonly orderId?: bigint
  /** The pet as the event shows it. */
  readonly pet?: Pet
}

/** Writes events in the transaction of their change. */
export class EventWriter {
  private readonly insert
  private readonly keep
  private readonly end

  constructor(statements: Statements) {
    // No SELECT gives the row: SQLite would put it into a table of its own first.
    this.insert = statements.query<never, (string | bigint | number | null)[]>(
      'INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id, pet) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.keep = statements.query<never, [bigint]>(keepAsAdded(SQLITE_JSON, '?'))
    this.end = statements.query<FeedEnd, []>(
      `SELECT seq AS lastPetId, ifnull((SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1), 0) AS rows
       FROM sqlite_sequence WHERE name = 'pets'`,
    )
  }

  add(transaction: WriteTransaction, { type, at, by, petId, orderId, pet }: NewEvent): void {
    transaction.feed ??= this.end.get() as FeedEnd
    const { feed, lastPetId = feed.lastPetId } = transaction
    feed.rows++
    const row = [type, at, by, petId, orderId ?? null, pet ? stringifyJson(pet) : null] as const
    this.insert.run(lastPetId + feed.rows, lastPetId, ...row)
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
