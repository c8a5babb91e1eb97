// How PostgreSQL writes JSON.

import type { JsonDialect } from '../shared/columns.ts'

export const POSTGRES_JSON: JsonDialect = {
  text: (column) => `to_json(${column})`,
  // A time is a bigint: milliseconds since 1970.
  time: (column) =>
    `'"', to_char(timestamp 'epoch' + ${column} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"'`,
  member: (column, name) => `${column}::json ->> '${name}'`,
}
