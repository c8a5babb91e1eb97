// A write transaction: the lock is taken at its beginning, so that it waits there and never half-way.

import { PetstoreError } from '../../errors.ts'
import type { Connection } from './connection.ts'
import { isSqliteCode, translated } from './errors.ts'
import type { Statements } from './statements.ts'

/** All of `work` or nothing. Returns when it is on disk; throws `unavailable` or `storage_full` and leaves nothing. */
export type Transact = <Result>(work: () => Result) => Result

export function transactions(connection: Connection, statements: Statements): Transact {
  const begin = statements.query('BEGIN IMMEDIATE')
  const commit = statements.query('COMMIT')
  /** After a failed write or sync nobody knows what of it the disk has, so nothing that this connection remembers is used. */
  let doubtful = false

  function reopenIfDoubtful(): void {
    if (!doubtful) return
    try {
      connection.reopen()
    } catch (cause) {
      throw new PetstoreError('unavailable', 'The store cannot be used right now. Try again.', { cause })
    }
    doubtful = false
  }

  return (work) =>
    translated(() => {
      reopenIfDoubtful()
      try {
        begin.run()
        const result = work()
        commit.run()
        return result
      } catch (error) {
        if (connection.database.inTransaction) connection.database.run('ROLLBACK')
        doubtful = isSqliteCode(error, 'SQLITE_IOERR')
        throw error
      } finally {
        connection.freshness.written()
      }
    })
}
