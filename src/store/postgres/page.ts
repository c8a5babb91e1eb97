// Pages of rows, by id. The limit is part of a statement: with a parameter for it, PostgreSQL plans the statement anew at every
// execution, because a plan for any limit looks expensive. Planning takes a quarter of the time of a page, and a third with a status.

/** SQL for a page, up to `rows` rows long, a whole number. */
export type PageOf = (rows: number) => string

/**
 * The condition for rows with the value `$2` in `column`, behind the id `$1`. With `ORDER BY column, id` only the index on both
 * columns gives their order. For `column = $2 ORDER BY id` the planner may prefer the primary key, and so read all other rows that
 * are older: when every tenth pet is available, it expects one among the first ten.
 */
export function following(column: string): string {
  return `(${column}, id) > ($2, $1) AND ${column} <= $2`
}
