// How SQLite writes JSON.

import type { JsonDialect } from '../../shared/columns.ts'

export const SQLITE_JSON: JsonDialect = {
  text: (column) => `json_quote(${column})`,
  // Exact: integers only. SQLite's own fractions of a second come from a floating-point number of days.
  time: (column) =>
    `strftime('"%Y-%m-%dT%H:%M:%S.', ${column} / 1000, 'unixepoch'), printf('%03dZ"', ${column} % 1000)`,
}
