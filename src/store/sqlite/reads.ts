// Reads that arrive in the same turn of the event loop share one read transaction. It starts after all of them have arrived, so each
// sees everything that was committed before. Under load this halves the cost of a page, because the processor's caches are warm.

import { translated } from './errors.ts'
import type { Query, Statements } from './statements.ts'

export type Read = <Result>(work: () => Result) => Promise<Result>

/** The result resolves with what `work` returns, or rejects with its error, translated. */
export function reads(statements: Statements): Read {
  const begin = statements.query('BEGIN')
  const commit = statements.query('COMMIT')
  const rollback = statements.query('ROLLBACK')
  let waiting: (() => void)[] = []

  function readAll(): void {
    const all = waiting
    waiting = []
    // A single statement is its own transaction.
    const together = all.length > 1 && done(begin)
    for (const read of all) read()
    // SQLite may end a transaction by itself (https://sqlite.org/lang_transaction.html, 3): then there is nothing to commit.
    if (together && !done(commit)) done(rollback)
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(translated(work))
        } catch (error) {
          reject(error)
        }
      })
      if (waiting.length === 1) process.nextTick(readAll)
    })
}

/** Whether the statement succeeded. When it did not, each read is its own transaction and reports the error itself. */
function done(statement: Pick<Query<never, []>, 'run'>): boolean {
  try {
    statement.run()
    return true
  } catch {
    return false
  }
}
