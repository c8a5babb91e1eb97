// Which column holds which field, in one table for each kind of row. Both stores make their select lists, inserts and JSON from it.
// A field that is missing from its table does not compile.

import { type JsonNumber, type JsonObject, parseJson } from '../../../../contract/src/json.ts'

/** `word`: a text without characters that JSON escapes. `time`: milliseconds since 1970. `flag`: SQLite has no booleans, but 0 and 1. */
type Kind<Value> = Value extends boolean
  ? 'flag'
  : Value extends bigint
    ? 'integer'
    : Value extends number
      ? 'time'
      : string extends Value
        ? 'text'
        : 'word'

/** Fields in the order of the contract; `column` is SQL. An optional field is NULL where it is absent. */
export type Columns<Row> = {
  readonly [Field in keyof Row]-?: {
    readonly column: string
    readonly kind: Kind<NonNullable<Row[Field]>>
  } & (undefined extends Row[Field] ? { readonly optional: true } : { readonly optional?: never })
}

/** SQL expressions for a text as a JSON string, and for a time as a JSON string in the contract's format. `column` is SQL, too. */
export interface JsonDialect {
  text(column: string): string
  time(column: string): string
}

type Value = bigint | number | string | boolean
export type AnyColumns = Readonly<Record<string, { column: string; kind: string; optional?: boolean }>>

/** Columns of integers and of texts, each for a field of its name. */
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

/** `id, category_id AS "categoryId"` */
export function selectList(columns: AnyColumns): string {
  const entries = Object.entries(columns)
  return entries.map(([field, { column }]) => (column === field ? column : `${column} AS "${field}"`)).join(', ')
}

/** A SQL expression for a row as a JSON object, in the contract's format. Absent fields are left out. */
export function jsonObject(columns: AnyColumns, dialect: JsonDialect): string {
  const parts = Object.entries(columns).map(([field, { column, kind, optional }], index) => {
    const label = `'${index === 0 ? '{' : ','}"${field}":'`
    const values = `${label}, ${jsonValue(column, kind, dialect)}`
    return optional ? `CASE WHEN ${column} IS NULL THEN '' ELSE concat(${values}) END` : values
  })
  return `concat(${parts.join(', ')}, '}')`
}

/** The fields of the table, in its order. `row`: a `Row`, or a result of the database driver with the names of `selectList`, after a prefix. */
export function fromRow<Row>(columns: Columns<Row>, row: object, prefix = ''): Row {
  return fromFields(columns, (field, kind) => {
    const value = (row[(prefix + field) as keyof object] as Value | null) ?? undefined
    if (value !== undefined && kind === 'flag') return Boolean(value)
    return value !== undefined && kind === 'time' ? Number(value) : value
  })
}

/** Reads a row that `stringifyJson` wrote, with times as numbers. */
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
