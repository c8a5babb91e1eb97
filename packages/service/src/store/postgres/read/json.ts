// SQL for JSON in PostgreSQL, and rows as array parameters, which can contain any text but U+0000.

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
 * Returns a table named `new` for FROM, from the parameters that `arraysOf` returns, numbered from `place`. PostgreSQL
 * reads arrays faster than JSON rows.
 */
export function tableOf(columns: AnyColumns, place: number): string {
  const all = Object.values(columns)
  const arrays = all.map(({ kind }, at) => `$${place + at}::text::${typeOf(kind)}[]`)
  return `unnest(${arrays}) AS new (${all.map(({ column }) => column)})`
}

/** Returns the text of an array for each column. Other fields of the rows are ignored. */
export function arraysOf(columns: AnyColumns, rows: readonly object[]): string[] {
  return Object.entries(columns).map(
    ([field, { kind }]) => `{${rows.map((row) => element(row[field as never], typeOf(kind) === 'text'))}}`,
  )
}

function element(value: unknown, isText: boolean): string {
  if (value === undefined || value === null) return 'NULL'
  return isText ? `"${String(value).replace(/["\\]/g, '\\$&')}"` : String(value)
}
