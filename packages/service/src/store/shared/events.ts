// Reads and writes the feed of events for both stores. `events` has one row for each event, in commit order.

import { type JsonNumber, type JsonObject, parseJson } from '../../../../contract/src/json.ts'
import {
  cursorExpired,
  type EventFilter,
  type EventPage,
  type EventPosition,
  type EventStore,
  markOf,
  type NewEvent,
} from '../../domain/events.ts'
import { ASCENDS } from '../../domain/lists.ts'
import type { OrderStatus } from '../../domain/orders.ts'
import type { NewPet } from '../../domain/pets.ts'
import {
  type AnyColumns,
  columnsOf,
  type JsonDialect,
  jsonObject,
  jsonWriter,
  NEW_PET_COLUMNS,
  TERMS_COLUMNS,
} from './rows.ts'

/** The JSON in `pet` has these fields; the other fields of the pet have their own columns. */
const { status: _, ...PET } = NEW_PET_COLUMNS
export const EVENT_PET_COLUMNS: AnyColumns = PET
const petJson = jsonWriter<Omit<NewPet, 'status'>>(PET)
const termsJson = jsonWriter(TERMS_COLUMNS)

/** `json`: a text that is already JSON. */
export const EVENT_COLUMNS: AnyColumns = {
  id: { column: 'id', kind: 'integer' },
  type: { column: 'type', kind: 'word' },
  at: { column: 'at', kind: 'time' },
  by: { column: 'by_name', kind: 'text', optional: true },
  petId: { column: 'pet_id', kind: 'integer' },
  petStatus: { column: 'pet_status', kind: 'word', optional: true },
  pet: { column: 'whole_pet', kind: 'json', optional: true },
  orderId: { column: 'order_id', kind: 'integer', optional: true },
  orderStatus: { column: 'order_status', kind: 'word', optional: true },
  terms: { column: 'terms', kind: 'json', optional: true },
}

/** Columns that are computed. The `by_name` lookup is safe because keys are never renamed or removed. */
const SHOWN = `
  (SELECT CASE name WHEN '' THEN CAST(id AS text) ELSE name END FROM keys WHERE keys.id = key_id) AS by_name,
  CASE WHEN pet IS NOT NULL
    THEN concat('{"id":', pet_id, ',', substr(pet, 2, length(pet) - 2), ',"status":"', pet_status, '"}') END AS whole_pet`

/** The columns of a new row. `reached`: the time, if it is later than the times of all events before. */
export const NEW_EVENT_COLUMNS = columnsOf(
  ['at', 'reached', 'key_id', 'pet_id', 'order_id'],
  ['type', 'pet_status', 'pet', 'order_status', 'terms'],
)

/** `lastReached`: the greatest `reached` of the events before. */
export function rowsOfEvents(events: readonly NewEvent[], lastReached: bigint | null | undefined) {
  let last = Number(lastReached ?? Number.NEGATIVE_INFINITY)
  return events.map((event) => {
    const reached = event.at > last ? event.at : null
    last = Math.max(last, event.at)
    return rowOf(event, reached)
  })
}

function rowOf({ type, at, by, petId, orderId, pet, terms }: NewEvent, reached: number | null) {
  return {
    type,
    at,
    reached,
    key_id: by,
    pet_id: petId,
    pet_status: pet?.status ?? null,
    pet: pet ? petJson(pet) : null,
    order_id: orderId ?? null,
    order_status: orderId === undefined ? null : orderStatusOf(type),
    terms: terms ? termsJson(terms) : null,
  } satisfies Record<keyof typeof NEW_EVENT_COLUMNS, unknown>
}

/** An event type contains the new status, for example `order.completed`. */
function orderStatusOf(type: string): OrderStatus {
  const name = type.slice('order.'.length)
  return name === 'placed' || name === 'changed' ? 'pending' : (name as OrderStatus)
}

/** A column that must equal a parameter. */
export interface Equal {
  readonly column: string
  readonly parameter: string
}

/** The first rows between two ids if `up`, otherwise the last ones, using the index of the column `along` if given. */
export interface Rows {
  readonly along: Equal | undefined
  readonly conditions: readonly string[]
  readonly above: string
  readonly below: string
  readonly up: boolean
  readonly limit: string
}

/** SQL that differs between the databases for speed. */
export interface FeedDialect {
  readonly json: JsonDialect
  /** FROM and everything after it. */
  rows(rows: Rows): string
  limit(limit: number, give: (value: bigint) => string): string
  /** The first `limit` rows of a page that was read with that limit. */
  cut(page: string, limit: number, give: (value: bigint) => string): string
  least(one: string, other: string): string
}

const FIRST = '0'
const LAST = String(2n ** 63n - 1n)
const FILTERS = { orderId: 'order_id', petId: 'pet_id' } as const

/** Reads the feed with one statement for each call. `read` runs a statement with its parameters. */
export function feedOf(
  dialect: FeedDialect,
  read: (sql: string, values: (bigint | string)[]) => Promise<FeedRow[]>,
): EventStore {
  const last = answer(dialect.json, [
    `SELECT 'end' AS kind, last.* FROM (SELECT * FROM events ORDER BY id DESC LIMIT 1) AS last`,
  ])
  return {
    async listEvents(filter) {
      const { sql, values } = feedQuery(dialect, filter)
      return eventPage(await read(sql, values), filter)
    },
    findEnd: async () => endOf(await read(last, [])),
  }
}

/**
 * Returns one statement, so that all parts see one state of the store, with its parameters ($1, …). It selects the
 * epoch; the events of the page; the last event before `to`; the first event from `after` on, which shows
 * whether `after` still exists; and the first event from `to` on.
 */
function feedQuery(dialect: FeedDialect, filter: EventFilter): { sql: string; values: (bigint | string)[] } {
  const values: (bigint | string)[] = []
  const give = (value: bigint | string) => `$${values.push(value)}`
  const up = ASCENDS[filter.sort]
  const after = filter.after && give(filter.after.id)
  const to = filter.to === undefined ? undefined : notBefore(give(BigInt(filter.to)))
  const end = to === undefined ? LAST : `coalesce((SELECT id FROM (${to}) AS first), ${LAST})`
  const page = pageRows(dialect, filter, give, {
    above: up && after ? after : idBeforeFirst(filter, give),
    below: up || !after ? end : dialect.least(after, end),
    up,
    limit: dialect.limit(filter.limit, give),
  })
  const found = [
    `SELECT 'event' AS kind, page.* FROM (${dialect.cut(page, filter.limit, give)}) AS page`,
    `SELECT 'end', last.* FROM (SELECT * FROM events WHERE id < ${end} ORDER BY id DESC LIMIT 1) AS last`,
    ...(after
      ? [`SELECT 'seen', seen.* FROM (SELECT * FROM events WHERE id >= ${after} ORDER BY id LIMIT 1) AS seen`]
      : []),
    ...(to ? [`SELECT 'to', first.* FROM (${to}) AS first`] : []),
  ]
  return { sql: answer(dialect.json, found), values }
}

function answer(json: JsonDialect, found: readonly string[]): string {
  return `SELECT 'epoch' AS kind, epoch AS id, '' AS json FROM event_epoch
    UNION ALL SELECT kind, id, ${jsonObject(EVENT_COLUMNS, json)}
    FROM (SELECT found.*, ${SHOWN} FROM (${found.join(' UNION ALL ')}) AS found) AS events`
}

/** The first event at or after the time, even if clocks were moved back. */
function notBefore(time: string): string {
  return `SELECT * FROM events WHERE reached >= ${time} ORDER BY reached LIMIT 1`
}

/** Returns an SQL expression for the id after which the feed starts. */
function idBeforeFirst({ from }: EventFilter, give: (value: bigint) => string): string {
  if (from === 'beginning') return FIRST
  return from === 'now' ? LAST : `coalesce((SELECT id - 1 FROM (${notBefore(give(BigInt(from)))}) AS first), ${LAST})`
}

/** Uses the index of the first given filter. Several types are read one type at a time. */
function pageRows(
  { rows }: FeedDialect,
  filter: EventFilter,
  give: (value: bigint | string) => string,
  range: Pick<Rows, 'above' | 'below' | 'up' | 'limit'>,
): string {
  const given = (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).filter((name) => filter[name] !== undefined)
  const [along, ...others] = given.map((name) => ({ column: FILTERS[name], parameter: give(filter[name] as bigint) }))
  const types = (filter.type ?? []).map((type) => give(type))
  const all = (along: Equal | undefined, conditions: string[]) =>
    `SELECT * FROM ${rows({ ...range, along, conditions })}`
  if (along || types.length === 0) {
    const isOfTypes = types.length === 0 ? [] : [`type IN (${types})`]
    return all(along, [...others.map(({ column, parameter }) => `${column} = ${parameter}`), ...isOfTypes])
  }
  const each = types.map((parameter) => `SELECT * FROM (${all({ column: 'type', parameter }, [])}) AS typed`)
  return `SELECT * FROM (${each.join(' UNION ALL ')}) AS typed ORDER BY id ${range.up ? '' : 'DESC'} LIMIT ${range.limit}`
}

export interface FeedRow {
  readonly kind: 'epoch' | 'event' | 'end' | 'seen' | 'to'
  readonly id: bigint
  readonly json: string
}

function endOf(rows: readonly FeedRow[]): EventPosition {
  const epoch = epochOf(rows)
  const last = rows.find(({ kind }) => kind === 'end')
  return last ? positionOf(epoch, last) : { epoch, id: 0n, mark: undefined }
}

/** Throws `cursor_expired`. */
function eventPage(rows: readonly FeedRow[], { limit, after, sort }: EventFilter): EventPage {
  const epoch = epochOf(rows)
  const here = after && seenPosition(rows, after, epoch)
  const up = ASCENDS[sort]
  const events = rows.filter(({ kind }) => kind === 'event').sort((a, b) => (a.id < b.id === up ? -1 : 1))
  const last = events.at(-1)
  const end = endOf(rows)
  let next = last ? positionOf(epoch, last) : (here ?? end)
  // There are no more events up to the end.
  if (up && events.length < limit && end.id > next.id) next = end
  return {
    json: `[${events.map(({ json }) => json).join(',')}]`,
    count: events.length,
    next,
    ended: rows.some(({ kind }) => kind === 'to'),
  }
}

function epochOf(rows: readonly FeedRow[]): bigint {
  return (rows.find(({ kind }) => kind === 'epoch') as FeedRow).id
}

/** Returns `after`. Throws `cursor_expired` unless its event exists with the same mark. */
function seenPosition(rows: readonly FeedRow[], after: EventPosition, epoch: bigint): EventPosition {
  const seen = rows.find(({ kind }) => kind === 'seen')
  if (after.epoch === epoch && after.id === 0n) return after
  const there = seen && positionOf(epoch, seen)
  if (after.epoch === epoch && there?.id === after.id && there.mark === after.mark) return after
  throw cursorExpired()
}

function positionOf(epoch: bigint, { id, json }: FeedRow): EventPosition {
  const event = parseJson(json) as JsonObject
  const number = (name: string) => {
    const value = event.get(name)
    return value === undefined ? undefined : BigInt((value as JsonNumber).text)
  }
  const mark = markOf({
    type: event.get('type') as string,
    at: Date.parse(event.get('at') as string),
    petId: number('petId') as bigint,
    orderId: number('orderId'),
  })
  return { epoch, id, mark }
}
