// Pages of rows with one value in a column, by id.

/**
 * The condition for rows with the value `$3` in `column`, behind the id `$1`. With `ORDER BY column, id` only the index on both
 * columns gives their order. For `column = $3 ORDER BY id` the planner may prefer the primary key, and so read all other rows that
 * are older: when every tenth pet is available, it expects one among the first ten.
 */
export function following(column: string): string {
  return `(${column}, id) > ($3, $1) AND ${column} <= $3`
}
