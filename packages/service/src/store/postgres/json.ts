// How PostgreSQL writes JSON, and how it is given rows: as JSON, which holds any text but U+0000.

import type { AnyColumns, JsonDialect } from '../shared/columns.ts'

export const POSTGRES_JSON: JsonDialect = {
  text: (column) => `to_json(${column})`,
  // A time is a bigint: milliseconds since 1970.
  time: (column) =>
    `'"', to_char(timestamp 'epoch' + ${column} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'`,
}

export function typeOf(kind: string): 'bigint' | 'text' {
  return ['integer', 'time'].includes(kind) ? 'bigint' : 'text'
}

/** A table for FROM that is called `new`. `rows`: a parameter, as `jsonRows` makes it. */
export function recordset(columns: AnyColumns, rows: string): string {
  const typed = Object.values(columns).map(({ column, kind }) => `${column} ${typeOf(kind)}`)
  return `json_to_recordset(${rows}::text::json) AS new (${typed.join(', ')})`
}

/** Rows with the fields of the columns, and maybe others. An integer is text, so that none is rounded. */
export function jsonRows(columns: AnyColumns, rows: readonly object[]): string {
  const all = Object.entries(columns)
  const written = rows.map((row) => {
    const values: Record<string, unknown> = {}
    for (const [field, { column }] of all) {
      const value = row[field as never] as unknown
      values[column] = typeof value === 'bigint' ? String(value) : value
    }
    return values
  })
  return JSON.stringify(written)
}
