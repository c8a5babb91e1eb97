// Maps fields to columns, one table for each kind of row. Both stores derive their select lists, inserts and JSON from
// these tables. A missing field does not compile.

import { type JsonNumber, type JsonObject, parseJson, stringifyJson } from '../../../../contract/src/json.ts'
import type { FirstAnswer, Idempotent, StoredOrder } from '../../domain/decisions/snapshot.ts'
import type { ApiKey, DeprecatedCalls, KeyStore, NewKey } from '../../domain/keys.ts'
import { LIMITS } from '../../domain/limits.ts'
import { HOLDING } from '../../domain/order-transitions.ts'
import type { NewOrder, Order, OrderTerms } from '../../domain/orders.ts'
import type { NewPet, Pet } from '../../domain/pets.ts'
import { StartError } from '../../domain/start-error.ts'

/** `word`: text that needs no JSON escapes. `time`: milliseconds since 1970. `flag`: a boolean, in SQLite 0 or 1. */
type Kind<Value> = Value extends boolean
  ? 'flag'
  : Value extends bigint
    ? 'integer'
    : Value extends number
      ? 'time'
      : string extends Value
        ? 'text'
        : 'word'

/** Fields in the contract's order; `column` is SQL. An absent optional field is NULL. */
export type Columns<Row> = {
  readonly [Field in keyof Row]-?: {
    readonly column: string
    readonly kind: Kind<NonNullable<Row[Field]>>
  } & (undefined extends Row[Field] ? { readonly optional: true } : { readonly optional?: never })
}

/** SQL expressions for a text and a time as JSON strings, the time in the contract's format. `column` is SQL. */
export interface JsonDialect {
  text(column: string): string
  time(column: string): string
}

type Value = bigint | number | string | boolean
export type AnyColumns = Readonly<Record<string, { column: string; kind: string; optional?: boolean }>>

/** Returns columns whose names are the field names. */
export function columnsOf<const Name extends string>(integers: readonly Name[], texts: readonly Name[]) {
  const ofKind = (kind: string) => (column: Name) => [column, { column, kind }] as const
  return Object.fromEntries([...integers.map(ofKind('integer')), ...texts.map(ofKind('text'))]) as Record<
    Name,
    { column: Name; kind: string }
  >
}

/** The fields of a row and their columns, in the order of the table. */
export function fieldsOf<Row>(columns: Columns<Row>): { fields: (keyof Row)[]; names: string[] } {
  const all = columns as AnyColumns
  return { fields: Object.keys(all) as (keyof Row)[], names: Object.values(all).map(({ column }) => column) }
}

/** For example `id, category_id AS "categoryId"`. */
export function selectList(columns: AnyColumns): string {
  const entries = Object.entries(columns)
  return entries.map(([field, { column }]) => (column === field ? column : `${column} AS "${field}"`)).join(', ')
}

/** Returns an SQL expression for a row as a JSON object in the contract's format. Absent fields are left out. */
export function jsonObject(columns: AnyColumns, dialect: JsonDialect): string {
  const parts = Object.entries(columns).map(([field, { column, kind, optional }], index) => {
    const label = `'${index === 0 ? '{' : ','}"${field}":'`
    const values = `${label}, ${jsonValue(column, kind, dialect)}`
    return optional ? `CASE WHEN ${column} IS NULL THEN '' ELSE concat(${values}) END` : values
  })
  return `concat(${parts.join(', ')}, '}')`
}

/** Returns a function that writes a row as `jsonObject` does. */
export function jsonWriter<Row extends object>(columns: Columns<Row>): (row: Row) => string {
  const fields = Object.entries(columns as AnyColumns).map(([field, { kind }]) => {
    return { field: field as keyof Row, label: `"${field}":`, isTime: kind === 'time' }
  })
  return (row) => {
    let text = ''
    for (const { field, label, isTime } of fields) {
      const value = row[field]
      if (value === undefined) continue
      const written = isTime ? `"${new Date(Number(value)).toISOString()}"` : stringifyJson(value)
      text += (text === '' ? label : `,${label}`) + written
    }
    return `{${text}}`
  }
}

/**
 * Returns the table's fields, in its order. `row` is a `Row`, or a driver's result row with the names of `selectList`,
 * each after `prefix`.
 */
export function fromRow<Row>(columns: Columns<Row>, row: object, prefix = ''): Row {
  return fromFields(columns, (field, kind) => {
    const value = (row[(prefix + field) as keyof object] as Value | null) ?? undefined
    if (value !== undefined && kind === 'flag') return Boolean(value)
    return value !== undefined && kind === 'time' ? Number(value) : value
  })
}

/** Parses a row that `stringifyJson` wrote with times as numbers. */
function fromJson<Row>(columns: Columns<Row>, json: string): Row {
  const object = parseJson(json) as JsonObject
  return fromFields(columns, (field, kind) => {
    const value = object.get(field) as JsonNumber | string | undefined
    if (value === undefined || typeof value === 'string') return value
    return kind === 'time' ? Number(value.text) : BigInt(value.text)
  })
}

function fromFields<Row>(columns: Columns<Row>, read: (field: string, kind: string) => Value | undefined): Row {
  const row: Record<string, Value> = {}
  for (const field in columns) {
    const value = read(field, columns[field].kind)
    if (value !== undefined) row[field] = value
  }
  return row as Row
}

function jsonValue(column: string, kind: string, dialect: JsonDialect): string {
  if (kind === 'text') return dialect.text(column)
  if (kind === 'time') return dialect.time(column)
  return kind === 'word' ? `'"', ${column}, '"'` : column
}

// The columns of pets and orders in both stores. An order's `pet_name` is looked up from the pet.

const id = { column: 'id', kind: 'integer' } as const

/** The fields that a client sends. */
export const NEW_PET_COLUMNS: Columns<NewPet> = {
  name: { column: 'name', kind: 'text' },
  categoryId: { column: 'category_id', kind: 'integer' },
  status: { column: 'status', kind: 'word' },
}

export const PET_COLUMNS: Columns<Pet> = { id, ...NEW_PET_COLUMNS }

/** The fields that a client sends. */
const NEW_ORDER_COLUMNS: Columns<NewOrder> = {
  petId: { column: 'pet_id', kind: 'integer' },
  reference: { column: 'reference', kind: 'text', optional: true },
  expiresAt: { column: 'expires_at', kind: 'time', optional: true },
}

const { petId, ...terms } = NEW_ORDER_COLUMNS
/** The fields that a client can change. */
export const TERMS_COLUMNS: Columns<OrderTerms> = terms

const later = {
  status: { column: 'status', kind: 'word' },
  placedAt: { column: 'placed_at', kind: 'time' },
  changedAt: { column: 'changed_at', kind: 'time' },
  ...terms,
} as const

/** The columns of the table. */
export const STORED_ORDER_COLUMNS: Columns<StoredOrder> = { id, petId, ...later }

export const ORDER_COLUMNS: Columns<Order> = { id, petId, petName: { column: 'pet_name', kind: 'text' }, ...later }

export const orderJson = jsonWriter(ORDER_COLUMNS)

/**
 * The condition of orders that expire. Reservations whose pet was changed by hand are skipped, so that the others
 * expire. PostgreSQL estimates that a condition of this form is true for half of the rows, so it reads along the index;
 * it would expect hardly any row with `(SELECT status …) = 'pending'`, and sort all of them.
 */
export const EXPIRES = `status = 'pending' AND expires_at IS NOT NULL
  AND (SELECT status = 'pending' FROM pets WHERE pets.id = orders.pet_id)`

/** The condition of the index `orders_that_hold`. */
export const HOLDS = `status IN (${HOLDING.map((status) => `'${status}'`).join(', ')})`

// Idempotency keys: how long they are kept and how the first response is stored. Request and response are stored as text,
// so a replay does not depend on rows that have changed since.

/** The minimum time that a key is kept. */
export const KEPT_MS = LIMITS.idempotencyMs
/** Smaller errors of a wall clock, in either direction and whenever it jumps, do not shorten `KEPT_MS`. */
export const CLOCK_ERROR_MS_MAX = 7 * 24 * 3600_000
/** The age by the wall clock at which a key is deleted. */
export const FORGOTTEN_AFTER_MS = KEPT_MS + CLOCK_ERROR_MS_MAX

const OPERATIONS: Readonly<Record<keyof Idempotent, { request: AnyColumns; answer: AnyColumns }>> = {
  createPet: { request: NEW_PET_COLUMNS, answer: PET_COLUMNS },
  placeOrder: { request: NEW_ORDER_COLUMNS, answer: ORDER_COLUMNS },
}

export interface FirstAnswerRow {
  readonly operation: keyof Idempotent
  readonly request: string
  readonly answer: string
}

export function rowOfAnswer({ operation, request, answer }: FirstAnswer): FirstAnswerRow {
  const columns = OPERATIONS[operation]
  return { operation, request: textOf(columns.request, request), answer: textOf(columns.answer, answer) }
}

export function answerOfRow({ operation, request, answer }: FirstAnswerRow): FirstAnswer {
  const columns = OPERATIONS[operation]
  return {
    operation,
    request: fromJson<object>(columns.request, request),
    answer: fromJson<object>(columns.answer, answer),
  } as FirstAnswer
}

/** Returns a request or response as stored: JSON with fields in a fixed order and times in milliseconds. */
function textOf(columns: AnyColumns, row: object): string {
  return stringifyJson(fromRow<object>(columns, row))
}

// API keys and counts of deprecated calls, as both databases return them.

const KEYS: Columns<ApiKey> = {
  id: { column: 'id', kind: 'integer' },
  name: { column: 'name', kind: 'text' },
  readOnly: { column: 'read_only', kind: 'flag' },
  createdAt: { column: 'created_at', kind: 'time' },
  expiresAt: { column: 'expires_at', kind: 'time', optional: true },
  revokedAt: { column: 'revoked_at', kind: 'time', optional: true },
  ending: { column: 'ending', kind: 'text', optional: true },
  lastUsedAt: { column: 'last_used_at', kind: 'time', optional: true },
}

export const KEY_COLUMNS = selectList(KEYS)
/** Every key, oldest first. */
export const LIST_KEYS = `SELECT ${KEY_COLUMNS} FROM keys ORDER BY id`
const LIST_DEPRECATED_CALLS = `SELECT key_id AS "keyId", operation_id AS "operationId", calls, last_at AS "lastAt"
  FROM deprecated_calls ORDER BY last_at DESC`

export function toKey(row: object): ApiKey {
  return fromRow(KEYS, row)
}

/** Statements that both databases understand; SQLite writes parameters as ?1. */
export const KEY_SQL = {
  any: 'SELECT 1 AS found FROM keys LIMIT 1',
  create: `INSERT INTO keys (name, hash, read_only, created_at, expires_at, ending)
    SELECT $1, $2, CAST($3 AS boolean), CAST($4 AS bigint), CAST($5 AS bigint), $6
    WHERE NOT EXISTS (SELECT 1 FROM keys WHERE name = $1 AND id > $7) RETURNING ${KEY_COLUMNS}`,
  revoke: 'UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
  end: 'UPDATE keys SET expires_at = CASE WHEN expires_at <= $2 THEN expires_at ELSE $2 END WHERE id = $1 RETURNING id',
}

/** The parameters of `KEY_SQL.create`. */
export function parametersOfKey(key: NewKey, now: number) {
  const { name, hash, readOnly, expiresAt = null, ending = null, newestKnown = null } = key
  return [name, hash, readOnly, now, expiresAt, ending, newestKnown] as const
}

/** Returns the inserted key. Throws StartError if its name was taken by a key newer than `newestKnown`. */
export function createdKey(row: object | null | undefined, { name }: NewKey): ApiKey {
  if (row) return toKey(row)
  throw new StartError(`Another command has just created a key named ${JSON.stringify(name)}. See petstore keys list.`)
}

/** `read` runs a statement. */
export function keyLists(
  read: <Row extends object>(sql: string) => Promise<Row[]>,
): Pick<KeyStore, 'listKeys' | 'listDeprecatedCalls'> {
  return {
    listKeys: async () => (await read(LIST_KEYS)).map(toKey),
    listDeprecatedCalls: async () => {
      const rows = await read<DeprecatedCalls>(LIST_DEPRECATED_CALLS)
      return rows.map((row) => ({ ...row, calls: Number(row.calls), lastAt: Number(row.lastAt) }))
    },
  }
}
