// A write transaction: the lock is taken at its beginning, so that it waits there and never half-way.

import { PetstoreError } from '../../domain/errors.ts'
import { unavailable } from '../shared/failures.ts'
import { BUSY_TIMEOUT_MS, type Connection } from './connection.ts'
import { isSqliteCode, translated } from './errors.ts'
import type { Statements } from './statements.ts'
import type { Version } from './version.ts'

/** All of `work` or nothing. Resolves when it is on disk; rejects with `unavailable` or `storage_full` and leaves nothing. */
export type Transact = <Result>(work: () => Result) => Promise<Result>

/** While another process writes. SQLite's own waiting would stop the thread, reads and all, for up to 100 ms at a time. */
const AGAIN_MS = 1

export interface Transactions {
  transact: Transact
  /** Resolves when none waits any more. */
  settled(): Promise<unknown>
}

export function transactions(connection: Connection, statements: Statements, version: Version): Transactions {
  const begin = statements.query('BEGIN IMMEDIATE')
  const commit = statements.query('COMMIT')
  /**
   * After a failed write or sync nobody knows what of it the disk has, and a transaction that could not be ended goes on: so
   * nothing that this connection remembers is used.
   */
  let doubtful = false

  function reopenIfDoubtful(): void {
    if (!doubtful) return
    try {
      connection.reopen()
    } catch (cause) {
      throw unavailable(cause)
    }
    doubtful = false
  }

  function attempt<Result>(work: () => Result): Result {
    reopenIfDoubtful()
    try {
      beginOrThrow()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      doubtful = !rolledBack() || isSqliteCode(error, 'SQLITE_IOERR')
      throw error
    } finally {
      version.changed()
    }
  }

  function rolledBack(): boolean {
    const { database } = connection
    try {
      // SQLite may have done so by itself.
      if (database.inTransaction) database.run('ROLLBACK')
      return !database.inTransaction
    } catch {
      return false
    }
  }

  /** Without waiting; what comes after it may wait again, as reads may. */
  function beginOrThrow(): void {
    const { database } = connection
    database.run('PRAGMA busy_timeout = 0')
    try {
      begin.run()
    } finally {
      database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  async function attemptAgain<Result>(work: () => Result): Promise<Result> {
    const until = performance.now() + BUSY_TIMEOUT_MS
    for (;;) {
      try {
        return translated(() => attempt(work))
      } catch (error) {
        const busy = error instanceof PetstoreError && isSqliteCode(error.cause, 'SQLITE_BUSY')
        if (!busy || performance.now() > until) throw error
      }
      await Bun.sleep(AGAIN_MS)
    }
  }

  const waiting = new Set<Promise<unknown>>()

  return {
    async transact(work) {
      const running = attemptAgain(work)
      waiting.add(running)
      try {
        return await running
      } finally {
        waiting.delete(running)
      }
    },
    settled: () => Promise.allSettled(waiting),
  }
}
