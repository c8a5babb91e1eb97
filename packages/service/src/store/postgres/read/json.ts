// How PostgreSQL writes JSON, and how it is given rows: as arrays, which hold any text but U+0000.

import type { AnyColumns, JsonDialect } from '../../shared/columns.ts'

export const POSTGRES_JSON: JsonDialect = {
  text: (column) => `to_json(${column})`,
  // A time is a bigint: milliseconds since 1970.
  time: (column) =>
    `'"', to_char(timestamp 'epoch' + ${column} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'`,
}

export function typeOf(kind: string): 'bigint' | 'text' {
  return ['integer', 'time'].includes(kind) ? 'bigint' : 'text'
}

/**
 * A table for FROM that is called `new`. Its columns are the parameters from a place on, which `arraysOf` gives: a JSON
 * text of rows takes PostgreSQL longer to read.
 */
export function tableOf(columns: AnyColumns, place: number): string {
  const all = Object.values(columns)
  const arrays = all.map(({ kind }, at) => `$${place + at}::text::${typeOf(kind)}[]`)
  return `unnest(${arrays}) AS new (${all.map(({ column }) => column)})`
}

/** The values of rows with the fields of the columns, and maybe others: of each column as the text of an array. */
export function arraysOf(columns: AnyColumns, rows: readonly object[]): string[] {
  return Object.entries(columns).map(
    ([field, { kind }]) => `{${rows.map((row) => element(row[field as never], typeOf(kind) === 'text'))}}`,
  )
}

function element(value: unknown, isText: boolean): string {
  if (value === undefined || value === null) return 'NULL'
  return isText ? `"${String(value).replace(/["\\]/g, '\\$&')}"` : String(value)
}
