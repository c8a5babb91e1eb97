// A write transaction: the lock is taken at its beginning, so that it waits there and never half-way.

import type { Database } from 'bun:sqlite'
import { translated } from './errors.ts'

/** All of `work` or nothing. Returns when it is on disk; throws `unavailable` or `storage_full` and leaves nothing. */
export type Transact = <Result>(work: () => Result) => Result

export function transactions(database: Database, written: () => void): Transact {
  const begin = database.query('BEGIN IMMEDIATE')
  const commit = database.query('COMMIT')
  return (work) =>
    translated(() => {
      begin.run()
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        if (database.inTransaction) database.run('ROLLBACK')
        throw error
      } finally {
        written()
      }
    })
}
