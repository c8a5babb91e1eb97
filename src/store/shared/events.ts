// The feed of events as SQL that both stores read it with, and as pages. How the ids of events come about: migrations/0009-events.sql.

import { PetstoreError } from '../../domain/errors.ts'
import type { EventFilter, EventPage } from '../../domain/events.ts'
import { MOVES, type Moved, petStatusOf } from '../../domain/order-moves.ts'
import type { OrderStatus } from '../../domain/orders.ts'
import { type AnyColumns, type JsonDialect, jsonObject } from './columns.ts'
import { PET_COLUMNS } from './pet-columns.ts'

/** `json`: a text that is JSON already. */
export const EVENT_COLUMNS: AnyColumns = {
  id: { column: 'id', kind: 'integer' },
  type: { column: 'type', kind: 'word' },
  at: { column: 'at', kind: 'time' },
  by: { column: 'by_name', kind: 'text', optional: true },
  petId: { column: 'pet_id', kind: 'integer' },
  petStatus: { column: 'pet_status', kind: 'word', optional: true },
  pet: { column: 'pet', kind: 'json', optional: true },
  orderId: { column: 'order_id', kind: 'integer', optional: true },
  orderStatus: { column: 'order_status', kind: 'word', optional: true },
}

const STATUS_OF: Readonly<Record<string, OrderStatus>> = {
  placed: 'pending',
  changed: 'pending',
  ...(Object.fromEntries(Object.keys(MOVES).map((status) => [status, status])) as Record<Moved, Moved>),
}

function caseOfType(of: (status: OrderStatus) => string, otherwise: string): string {
  const cases = Object.entries(STATUS_OF).map(([name, status]) => `WHEN 'order.${name}' THEN '${of(status)}'`)
  return `CASE type ${cases.join(' ')} ELSE ${otherwise} END`
}

/** A pet becomes `pending` or `sold` by orders alone, unless it was added so. */
const STATUS_AS_ADDED = `CASE WHEN status <> 'available' AND (SELECT id FROM orders WHERE pet_id = pets.id LIMIT 1) IS NOT NULL
  THEN 'available' ELSE status END`

const AS_ADDED: AnyColumns = { ...PET_COLUMNS, status: { ...PET_COLUMNS.status, column: 'as_added' } }

/** Keeps a pet as it was added, before it is corrected or deleted for the first time. */
export function keepAsAdded(json: JsonDialect, petId: string): string {
  return `INSERT INTO changed_pets (pet_id, pet, at, key_id)
    SELECT id, ${jsonObject(AS_ADDED, json)}, created_at, created_by
    FROM (SELECT *, ${STATUS_AS_ADDED} AS as_added FROM pets WHERE id = ${petId}) AS pets
    WHERE true ON CONFLICT DO NOTHING`
}

function nameOf(keyId: string): string {
  return `(SELECT CASE name WHEN '' THEN CAST(id AS text) ELSE name END FROM keys WHERE keys.id = ${keyId}) AS by_name`
}

/** How many rows of `events` there are up to an id. */
function rowsUpTo(id: string): string {
  return `coalesce((SELECT id - after_pet FROM events WHERE id = (SELECT max(id) FROM events WHERE id <= ${id})), 0)`
}

/** The greatest number up to `most` for which `isBelow` is true or unknown, found by halving: it must be true up to there, and then false. */
function halve(most: string, isBelow: (middle: string) => string): string {
  const middle = '(low + high + 1) / 2'
  const below = `coalesce(${isBelow(middle)}, true)`
  return `(WITH RECURSIVE halves (low, high) AS (
    SELECT CAST(0 AS bigint), coalesce((${most}), 0)
    UNION ALL
    SELECT CASE WHEN ${below} THEN ${middle} ELSE low END, CASE WHEN ${below} THEN high ELSE ${middle} - 1 END
    FROM halves WHERE low < high
  ) SELECT max(low) FROM halves)`
}

/** How many rows of `events` stand before a pet: their `after_pet` rises with their ids. */
export function rowsBefore(pet: string): string {
  const before = (id: string) =>
    `(SELECT after_pet FROM events WHERE id = (SELECT max(id) FROM events WHERE id <= ${id})) < ${pet}`
  return rowsUpTo(halve('SELECT max(id) FROM events', before))
}

/** The first order of a pet that may have events behind $1: all orders are placed in the order of their ids. */
function firstOrder(petId: string): string {
  const placed = (id: string) =>
    `(SELECT min(id) FROM events WHERE order_id = (SELECT max(id) FROM orders WHERE id <= ${id})) <= $1`
  const last = halve('SELECT max(id) FROM orders', placed)
  return `coalesce((SELECT max(id) FROM orders WHERE pet_id = ${petId} AND id <= ${last}), 0)`
}

/** The end of the feed: the id of its last event. */
export const END = `(SELECT coalesce(max(pet), 0) FROM (
    SELECT max(id) AS pet FROM pets UNION ALL SELECT max(pet_id) FROM changed_pets
    UNION ALL SELECT after_pet FROM events WHERE id = (SELECT max(id) FROM events)
  ) AS last) + coalesce((SELECT id - after_pet FROM events WHERE id = (SELECT max(id) FROM events)), 0)`
export const EPOCH = '(SELECT epoch FROM event_epoch)'

/** A column that must have the value of a parameter. */
export interface Equal {
  readonly column: string
  readonly parameter: string
}

/**
 * FROM and what follows, as each database does it best: the first rows with a key greater than `after`, in its order, no more than a page
 * has. They must be equal in some columns, and fulfil other conditions.
 */
export interface FeedRows {
  /** SELECT: the first events behind $1 of a pet's orders from `first` on. One order of a pet ends before the next one is placed. */
  ofOrders(petId: string, first: string): string
  of(
    table: 'events' | 'pets' | 'changed_pets',
    key: string,
    after: string,
    equal: readonly Equal[],
    conditions?: readonly string[],
  ): string
}

const FILTERS = { petId: 'pet_id', orderId: 'order_id' } as const

/** The filters that are given, and the parameters from $2 on. */
export function filtersOf(filter: Pick<EventFilter, keyof typeof FILTERS>): { equal: Equal[]; values: bigint[] } {
  const given = (['petId', 'orderId'] as const).filter((name) => filter[name] !== undefined)
  return {
    equal: given.map((name, index) => ({ column: FILTERS[name], parameter: `$${index + 2}` })),
    values: given.map((name) => filter[name] as bigint),
  }
}

/**
 * One statement, so that it sees one state of the store. $1 is the id that the page begins after. Gives a row for the feed itself (its
 * epoch and its end), and of each table up to a page of events, without their ids: of `events` with `after_pet`, of pets with the number of
 * rows before them or, without a filter, before the page.
 */
export function feedStatement(json: JsonDialect, equal: readonly Equal[], rows: FeedRows): string {
  const petId = equal[0]?.column === FILTERS.petId ? equal[0].parameter : undefined
  const ofOrder = equal.some(({ column }) => column === FILTERS.orderId)
  const source =
    petId === undefined || ofOrder
      ? `SELECT * FROM ${rows.of('events', 'id', '$1', equal)}`
      : `SELECT * FROM (SELECT * FROM ${rows.of('events', 'id', '$1', equal, ['order_id IS NULL'])}) AS corrections
        UNION ALL SELECT * FROM (${rows.ofOrders(petId, firstOrder(petId))}) AS moves`
  const changes = `SELECT 'change' AS kind, id, after_pet AS place, type, at, ${nameOf('key_id')}, pet_id,
      ${caseOfType(petStatusOf, json.member('pet', 'status'))} AS pet_status, pet, order_id,
      ${caseOfType((status) => status, 'NULL')} AS order_status
    FROM (${source}) AS changes`
  const { id: _, ...columns } = EVENT_COLUMNS
  return `SELECT 'feed' AS kind, ${EPOCH} AS id, ${END} AS place, '' AS json
    UNION ALL
    SELECT kind, id, place, ${jsonObject(columns, json)} FROM (
      SELECT * FROM (${changes}) AS changes
      ${ofOrder ? '' : additions(json, petId, rows)}
    ) AS events`
}

/** Of one pet, or of all. */
function additions(json: JsonDialect, petId: string | undefined, rows: FeedRows): string {
  const after = `$1 - ${rowsUpTo('$1')}`
  const place = petId === undefined ? rowsUpTo('$1') : rowsBefore(petId)
  const added = (id: string, at: string, keyId: string, status: string, pet: string) =>
    `SELECT 'pet', ${id}, ${place}, 'pet.added', ${at}, ${nameOf(keyId)}, ${id}, ${status}, ${pet}, CAST(NULL AS bigint), CAST(NULL AS text)`
  const of = (column: string) => (petId === undefined ? [] : [{ column, parameter: petId }])
  const isKept = '(SELECT pet_id FROM changed_pets WHERE pet_id = pets.id)'
  return `UNION ALL SELECT * FROM (
        ${added('id', 'created_at', 'created_by', 'as_added', jsonObject(AS_ADDED, json))}
        FROM (SELECT *, ${STATUS_AS_ADDED} AS as_added FROM ${rows.of('pets', 'id', after, of('id'), [`${isKept} IS NULL`])}) AS pets
      ) AS added
      UNION ALL SELECT * FROM (
        ${added('pet_id', 'at', 'key_id', json.member('pet', 'status'), 'pet')}
        FROM (SELECT * FROM ${rows.of('changed_pets', 'pet_id', after, of('pet_id'))}) AS kept
      ) AS kept`
}

/** A row of the statement's answer. */
export interface FeedRow {
  readonly kind: 'feed' | 'change' | 'pet'
  readonly id: bigint
  readonly place: bigint
  readonly json: string
}

/** Throws `cursor_expired`. */
export function eventPage(rows: readonly FeedRow[], { limit, petId, after }: EventFilter): EventPage {
  const { id: epoch, place: end } = rows.find(({ kind }) => kind === 'feed') as FeedRow
  if (epoch !== after.epoch) {
    const message = 'The store was restored or copied since this cursor was given. Begin anew, without a cursor.'
    throw new PetstoreError('cursor_expired', message)
  }
  const ofKind = (wanted: string) => rows.filter(({ kind }) => kind === wanted).sort((a, b) => (a.id < b.id ? -1 : 1))
  const [changes, pets] = [ofKind('change'), ofKind('pet')]
  const events: string[] = []
  let last = end
  for (let [change, pet] = [0, 0]; events.length < limit; ) {
    const [nextChange, nextPet] = [changes[change], pets[pet]]
    if (!nextChange && !nextPet) break
    // A change stands before the pets that were added after it.
    const isChange = nextChange && (!nextPet || nextChange.place < nextPet.id)
    if (isChange) change++
    else pet++
    const { id, place, json } = (isChange ? nextChange : nextPet) as FeedRow
    const eventId = isChange ? id : id + place + (petId === undefined ? BigInt(change) : 0n)
    events.push(`{"id":${eventId},${json.slice(1)}`)
    if (events.length === limit) last = eventId
  }
  return { json: `[${events.join(',')}]`, count: events.length, next: { epoch, id: last } }
}
