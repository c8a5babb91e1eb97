// The feed of events in SQLite. There is one writer at a time, so event ids follow the commit order.

import type { EventStore, NewEvent } from '../../../domain/events.ts'
import { jsonObject } from '../../shared/columns.ts'
import {
  EVENT_PET_COLUMNS,
  type FeedDialect,
  type FeedRow,
  feedOf,
  NEW_EVENT_COLUMNS,
  rowOf,
} from '../../shared/events.ts'
import { inserter, type Read, type Statements, type Value } from '../connect/statements.ts'
import type { Transact } from '../connect/transaction.ts'
import { SQLITE_JSON } from './json.ts'

export const BEGIN_EPOCH = 'UPDATE event_epoch SET epoch = random() & 281474976710655'

const COLUMNS = Object.keys(NEW_EVENT_COLUMNS) as (keyof typeof NEW_EVENT_COLUMNS)[]
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

/**
 * Events of the pets that the transaction added, starting at an id. Copying from `pets` takes half the time of passing
 * each value.
 */
const OF_PETS = `INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet)
  SELECT 'pet.added', created_at, iif(id = ?1 AND (created_at > ?2) IS NOT FALSE, created_at, NULL), created_by, id, status,
    ${jsonObject(EVENT_PET_COLUMNS, SQLITE_JSON)}
  FROM pets WHERE id >= ?1 ORDER BY id`

/** Call it after the changes, in their transaction. */
export function eventWriter(statements: Statements): (events: readonly NewEvent[]) => void {
  const ofPets = statements.query(OF_PETS)
  const insert = inserter(statements, 'events', ['reached', ...COLUMNS])
  const latest = statements.query<{ reached: bigint }>(
    'SELECT reached FROM events INDEXED BY events_by_time WHERE reached IS NOT NULL ORDER BY reached DESC LIMIT 1',
  )
  return (events) => {
    const [first] = events
    if (!first) return
    const reached = latest.get()?.reached
    if (events.every(({ type }) => type === 'pet.added')) return void ofPets.run(first.petId, reached ?? null)
    let last = Number(reached ?? Number.NEGATIVE_INFINITY)
    const rows = events.map((event) => {
      const row = rowOf(event)
      const highest = row.at > last ? row.at : null
      last = Math.max(last, row.at)
      return [highest, ...COLUMNS.map((column) => row[column])]
    })
    insert(rows)
  }
}

export function sqliteEvents(statements: Statements, read: Read, transact: Transact): EventStore {
  const endEpoch = statements.query(`${BEGIN_EPOCH} WHERE epoch = ?`)
  const run = (sql: string, values: readonly Value[]) =>
    read(() => statements.queryOnce<FeedRow>(sql.replaceAll('$', '?')).all(...values))
  return { ...feedOf(FEED, run), endEpoch: (epoch) => transact(() => void endEpoch.run(epoch)) }
}
