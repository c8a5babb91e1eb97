// Reads what decisions (domain/decisions/) need from PostgreSQL with one statement, under the lock that orders
// commits.

import { stringifyJson } from '../../../../../contract/src/json.ts'
import type { Touched } from '../../../domain/decisions/decision.ts'
import type { Snapshot, StoredOrder } from '../../../domain/decisions/snapshot.ts'
import type { RefusedKey } from '../../../domain/keys.ts'
import type { Pet } from '../../../domain/pets.ts'
import {
  type AnyColumns,
  answerOfRow,
  EXPIRES,
  type FirstAnswerRow,
  fromRow,
  HOLDS,
  PET_COLUMNS,
  STORED_ORDER_COLUMNS,
} from '../../shared/rows.ts'
import { LOG_MESSAGE, type Parameter, type RunQuery } from '../connect/session.ts'
import { typeOf } from './row-writer.ts'

/** A row of the result. It has the columns of its kind, and the columns of an order, a pet or both. */
interface SnapshotRow extends FirstAnswerRow {
  readonly kind: 'clock' | 'caller' | 'order' | 'pet' | 'ordered' | 'answer' | 'overdue'
  readonly id: bigint
  readonly now: bigint
  readonly reached: bigint | null
  readonly refusal: RefusedKey
  readonly key: string
  readonly 'pet.id': bigint
  readonly 'order.id': bigint | null
}

const BOTH = { ...expressions('order', STORED_ORDER_COLUMNS), ...expressions('pet', PET_COLUMNS) }
const ANSWER = { id: 'wanted.by', key: 'wanted.key', operation: 'operation', request: 'request', answer: 'answer' }
const TYPES: Readonly<Record<string, string>> = {
  ...{
    id: 'bigint',
    now: 'bigint',
    reached: 'bigint',
    refusal: 'text',
    key: 'text',
    operation: 'text',
    request: 'text',
    answer: 'text',
  },
  ...typesOf('order', STORED_ORDER_COLUMNS),
  ...typesOf('pet', PET_COLUMNS),
}

export type ReadSnapshot = Snapshot & { readonly lastReached: bigint | null }

interface LookUp {
  readonly kind: SnapshotRow['kind']
  readonly columns: Readonly<Record<string, string>>
  /** Returns `undefined` if the batch needs no rows of this kind. */
  wanted(touched: Touched, firstOverdue: bigint): Parameter | undefined
  from(wanted: string): string
}

/**
 * Rows are looked up one by one: a plan made while the tables were small must not read whole tables later. Overdue
 * reservations that another program has locked are skipped, so that the others expire.
 */
const LOOK_UPS: readonly LookUp[] = [
  {
    kind: 'caller',
    columns: { id: 'id', refusal: 'refusal' },
    wanted: ({ callers }) => idsOf(callers),
    from: (ids) => `petstore_refused_callers(${ids}::text::bigint[], (SELECT now FROM clock))`,
  },
  {
    kind: 'order',
    columns: BOTH,
    wanted: ({ orderIds }) => idsOf(orderIds),
    from: (ids) => `unnest(${ids}::text::bigint[]) AS wanted (id)
      CROSS JOIN LATERAL (SELECT * FROM orders WHERE orders.id = wanted.id LIMIT 1) AS "order"
      CROSS JOIN LATERAL (SELECT * FROM pets WHERE pets.id = "order".pet_id LIMIT 1) AS pet`,
  },
  {
    kind: 'pet',
    columns: BOTH,
    wanted: ({ petIds }) => idsOf(petIds),
    from: (ids) => `unnest(${ids}::text::bigint[]) AS wanted (id)
      CROSS JOIN LATERAL (SELECT * FROM pets WHERE pets.id = wanted.id LIMIT 1) AS pet
      LEFT JOIN LATERAL (SELECT * FROM orders WHERE orders.pet_id = wanted.id AND ${HOLDS} LIMIT 1) AS "order" ON true`,
  },
  {
    kind: 'ordered',
    columns: { id: 'wanted.id' },
    wanted: ({ everOrdered }) => idsOf(everOrdered),
    from: (ids) => `unnest(${ids}::text::bigint[]) AS wanted (id)
      CROSS JOIN LATERAL (SELECT FROM orders WHERE orders.pet_id = wanted.id LIMIT 1) AS found`,
  },
  {
    kind: 'answer',
    columns: ANSWER,
    wanted: ({ keys }) => (keys.length === 0 ? undefined : stringifyJson(keys)),
    from: (keys) => `json_to_recordset(${keys}::text::json) AS wanted (by bigint, key text) CROSS JOIN LATERAL (
        SELECT operation, request, answer FROM idempotency_answers AS used
        WHERE used.key_id = wanted.by AND used.key = wanted.key LIMIT 1
      ) AS used`,
  },
  {
    kind: 'overdue',
    columns: BOTH,
    wanted: ({ overdue }, first) => (overdue > 0 ? `{${overdue},${first}}` : undefined),
    from: (limitAndFirst) => `(
        SELECT * FROM orders WHERE ${EXPIRES} AND expires_at <= (SELECT now FROM clock)
          AND expires_at >= (SELECT (${limitAndFirst}::text::bigint[])[2])
        ORDER BY expires_at LIMIT (SELECT (${limitAndFirst}::text::bigint[])[1]) FOR NO KEY UPDATE SKIP LOCKED
      ) AS "order" CROSS JOIN LATERAL (
        SELECT * FROM pets WHERE pets.id = "order".pet_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      ) AS pet`,
  },
]

/** The clock's row has the last assigned ids, and the latest time of an event. */
const CLOCK = {
  now: 'now',
  reached: '(SELECT max(reached) FROM events)',
  'pet.id': 'petstore_last_pet()',
  'order.id': 'petstore_last_order()',
}
/**
 * The log message makes the commit wait for the standby even if nothing is written, so that everything acknowledged is
 * replicated.
 */
const WITH_CLOCK = `WITH clock AS MATERIALIZED (SELECT petstore_now() AS now, ${LOG_MESSAGE})`

const texts = new Map<string, string>()

/** Kinds without rows are left out: for a batch of creates they would take longer than the rest. */
function textOf(lookUps: readonly LookUp[]): string {
  return texts.getOrInsertComputed(lookUps.map(({ kind }) => kind).join(), () => statement(lookUps))
}

function statement(lookUps: readonly LookUp[]): string {
  const parts = lookUps.map(({ from, ...part }, at) => ({ ...part, from: from(`$${at + 1}`) }))
  const all = [{ kind: 'clock', columns: CLOCK as LookUp['columns'], from: 'clock' }, ...parts]
  const names = Object.keys(TYPES).filter((name) => all.some(({ columns }) => name in columns))
  const selects = all.map(({ kind, columns, from }) => {
    const list = names.map((name) => `${columns[name] ?? 'NULL'}::${TYPES[name]} AS "${name}"`)
    return `SELECT '${kind}' AS kind, ${list} FROM ${from}`
  })
  return `${WITH_CLOCK} ${selects.join(' UNION ALL ')}`
}

/**
 * The caller holds the lock. Overdue reservations are read from the expiry `firstOverdue`. The snapshot throws for an
 * id that was not read, which would otherwise look absent.
 */
export async function readSnapshot(query: RunQuery, touched: Touched, firstOverdue: bigint): Promise<ReadSnapshot> {
  const { callers, orderIds, petIds, everOrdered } = touched
  const lookUps = LOOK_UPS.filter(({ wanted }) => wanted(touched, firstOverdue) !== undefined)
  const parameters = lookUps.map(({ wanted }) => wanted(touched, firstOverdue) as Parameter)
  const rows = await query<SnapshotRow>(textOf(lookUps), ...parameters)
  const ofKind = (kind: SnapshotRow['kind']) => rows.filter((row) => row.kind === kind)
  const byId = (kind: SnapshotRow['kind']) => new Map(ofKind(kind).map((row) => [row.id, row]))

  const pets = new Map<bigint, Pet>()
  const orders = new Map<bigint, StoredOrder>()
  function take(row: SnapshotRow): StoredOrder[] {
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
  const [clock] = ofKind('clock') as [SnapshotRow]
  const [refused, ordered, answers] = [byId('caller'), byId('ordered'), ofKind('answer')]

  return {
    now: Number(clock.now),
    lastReached: clock.reached,
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
    lastPetId: () => clock['pet.id'],
    lastOrderId: () => clock['order.id'] as bigint,
  }
}

function idsOf(ids: ReadonlySet<bigint>): string | undefined {
  return ids.size === 0 ? undefined : `{${[...ids]}}`
}

function read<Id>(ids: ReadonlySet<Id>, id: Id): Id {
  if (!ids.has(id)) throw new Error(`${id} was not read`)
  return id
}

function expressions(table: string, columns: AnyColumns): Record<string, string> {
  const fields = Object.entries(columns)
  return Object.fromEntries(fields.map(([field, { column }]) => [`${table}.${field}`, `"${table}".${column}`]))
}

function typesOf(table: string, columns: AnyColumns): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([field, { kind }]) => [`${table}.${field}`, typeOf(kind)]))
}
