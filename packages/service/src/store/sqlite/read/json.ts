// SQL for JSON in SQLite.

import type { JsonDialect } from '../../shared/columns.ts'

export const SQLITE_JSON: JsonDialect = {
  text: (column) => `json_quote(${column})`,
  // Integer arithmetic only: SQLite computes fractions of a second from a floating-point number of days.
  time: (column) =>
    `strftime('"%Y-%m-%dT%H:%M:%S.', ${column} / 1000, 'unixepoch'), printf('%03dZ"', ${column} % 1000)`,
}
