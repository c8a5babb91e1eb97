// Maps fields to columns, one table for each kind of row. Both stores derive their select lists, inserts and JSON from
// these tables. A missing field does not compile.

import { type JsonNumber, type JsonObject, parseJson, stringifyJson } from '../../../../contract/src/json.ts'

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

/** Returns the row as `jsonObject` writes it. */
export function rowJson<Row>(columns: Columns<Row>, row: Row): string {
  const fields = Object.entries(columns as AnyColumns).map(([field, { kind }]) => {
    const value = row[field as keyof Row]
    return [field, kind === 'time' && value !== undefined ? new Date(Number(value)).toISOString() : value]
  })
  return stringifyJson(Object.fromEntries(fields))
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
export function fromJson<Row>(columns: Columns<Row>, json: string): Row {
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
