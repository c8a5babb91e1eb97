// What a batch of changes looks at (domain/decisions/), read from PostgreSQL with one statement, under the lock that orders the commits.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { Touched } from '../../domain/decisions/decision.ts'
import type { Snapshot, StoredOrder } from '../../domain/decisions/snapshot.ts'
import type { RefusedKey } from '../../domain/keys.ts'
import type { Pet } from '../../domain/pets.ts'
import { type AnyColumns, fromRow } from '../shared/columns.ts'
import { answerOfRow, type FirstAnswerRow } from '../shared/idempotency.ts'
import { HOLDS, STORED_ORDER_COLUMNS } from '../shared/order-columns.ts'
import { PET_COLUMNS } from '../shared/pet-columns.ts'
import { COMMIT_DURABLY, LOG_MESSAGE } from './host-connections.ts'
import { typeOf } from './json.ts'
import type { RunQuery } from './session.ts'

/** A row of the answer. Of its columns it has those that belong to its kind; beside them those of an order, a pet or both. */
interface Row extends FirstAnswerRow {
  readonly kind: 'clock' | 'caller' | 'order' | 'pet' | 'ordered' | 'answer' | 'overdue'
  readonly id: bigint
  readonly now: bigint
  readonly refusal: RefusedKey
  readonly key: string
  readonly 'order.id': bigint | null
}

const BOTH = { ...expressions('order', STORED_ORDER_COLUMNS), ...expressions('pet', PET_COLUMNS) }
const TYPES: Readonly<Record<string, string>> = {
  ...{ id: 'bigint', now: 'bigint', refusal: 'text', key: 'text', operation: 'text', request: 'text', answer: 'text' },
  ...typesOf('order', STORED_ORDER_COLUMNS),
  ...typesOf('pet', PET_COLUMNS),
}

/**
 * The message in the log makes the commit wait for the standby behind all that is answered, also where nothing is written. Each row is looked up by
 * itself: a plan that was made while the tables were small cannot read all of them later. Where somebody has changed a pet by hand, its
 * reservation does not expire, so that all others do.
 */
const READ = `
  WITH clock AS MATERIALIZED (SELECT petstore_now() AS now, ${LOG_MESSAGE}, ${COMMIT_DURABLY})
  ${part('clock', { id: 'petstore_last_order()', now: 'now' })} FROM clock
  UNION ALL
  ${part('caller', { id: 'id', refusal: 'refusal' })}
    FROM petstore_refused_callers($1::text::bigint[], (SELECT now FROM clock))
  UNION ALL
  ${part('order', BOTH)} FROM unnest($2::text::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM orders WHERE orders.id = wanted.id LIMIT 1) AS "order"
    CROSS JOIN LATERAL (SELECT * FROM pets WHERE pets.id = "order".pet_id LIMIT 1) AS pet
  UNION ALL
  ${part('pet', BOTH)} FROM unnest($3::text::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM pets WHERE pets.id = wanted.id LIMIT 1) AS pet
    LEFT JOIN LATERAL (SELECT * FROM orders WHERE orders.pet_id = wanted.id AND ${HOLDS} LIMIT 1) AS "order" ON true
  UNION ALL
  ${part('ordered', { id: 'wanted.id' })} FROM unnest($4::text::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT FROM orders WHERE orders.pet_id = wanted.id LIMIT 1) AS found
  UNION ALL
  ${part('answer', { id: 'wanted.by', key: 'wanted.key', operation: 'operation', request: 'request', answer: 'answer' })}
    FROM json_to_recordset($5::text::json) AS wanted (by bigint, key text) CROSS JOIN LATERAL (
      SELECT operation, request, answer FROM idempotency_answers AS used
      WHERE used.key_id = wanted.by AND used.key = wanted.key LIMIT 1
    ) AS used
  UNION ALL
  ${part('overdue', BOTH)} FROM (
      SELECT * FROM orders
      WHERE status = 'pending' AND expires_at <= (SELECT now FROM clock)
        AND (SELECT status FROM pets WHERE pets.id = orders.pet_id) = 'pending'
      ORDER BY expires_at LIMIT $6::bigint
    ) AS "order" CROSS JOIN LATERAL (SELECT * FROM pets WHERE pets.id = "order".pet_id LIMIT 1) AS pet`

/** The caller holds the lock. The snapshot throws for what was not read: it would look absent. */
export async function readSnapshot(query: RunQuery, touched: Touched): Promise<Snapshot> {
  const { callers, orderIds, petIds, everOrdered, keys, overdue } = touched
  const ids = [callers, orderIds, petIds, everOrdered].map((each) => `{${[...each]}}`)
  const rows = await query<Row>(READ, ...ids, stringifyJson(keys), overdue)
  const ofKind = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const idsOf = (kind: Row['kind']) => new Map(ofKind(kind).map((row) => [row.id, row]))

  const pets = new Map<bigint, Pet>()
  const orders = new Map<bigint, StoredOrder>()
  function take(row: Row): StoredOrder[] {
    const pet = fromRow(PET_COLUMNS, row, 'pet.')
    pets.set(pet.id, pet)
    if (row['order.id'] === null) return []
    const order = fromRow(STORED_ORDER_COLUMNS, row, 'order.')
    orders.set(order.id, order)
    return [order]
  }
  ofKind('order').forEach(take)
  const holders = new Map(
    ofKind('pet')
      .flatMap(take)
      .map((order) => [order.petId, order]),
  )
  const due = ofKind('overdue').flatMap(take)
  const [clock] = ofKind('clock') as [Row]
  const [refused, ordered, answers] = [idsOf('caller'), idsOf('ordered'), ofKind('answer')]

  return {
    now: Number(clock.now),
    refusedKey: (by) => refused.get(read(callers, by))?.refusal,
    pet: (id) => pets.get(id) ?? void read(petIds, id),
    order: (id) => orders.get(id) ?? void read(orderIds, id),
    holder: (petId) => holders.get(read(petIds, petId)),
    wasOrdered: (petId) => ordered.has(read(everOrdered, petId)),
    firstAnswer({ by, key }) {
      const found = answers.find((row) => row.id === by && row.key === key)
      return found && answerOfRow(found)
    },
    overdue: () => due,
    lastPetId() {
      throw new Error('pets are added by functions/add-pets.sql')
    },
    lastOrderId: () => clock.id,
  }
}

function read<Id>(ids: ReadonlySet<Id>, id: Id): Id {
  if (!ids.has(id)) throw new Error(`${id} was not read`)
  return id
}

/** Gives these columns; the others are NULL. */
function part(kind: Row['kind'], columns: Readonly<Record<string, string>>): string {
  const list = Object.entries(TYPES).map(([name, type]) => `${columns[name] ?? 'NULL'}::${type} AS "${name}"`)
  return `SELECT '${kind}' AS kind, ${list.join(', ')}`
}

function expressions(table: string, columns: AnyColumns): Record<string, string> {
  const fields = Object.entries(columns)
  return Object.fromEntries(fields.map(([field, { column }]) => [`${table}.${field}`, `"${table}".${column}`]))
}

function typesOf(table: string, columns: AnyColumns): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([field, { kind }]) => [`${table}.${field}`, typeOf(kind)]))
}
