// Write transactions. Each takes the lock when it begins, so it never waits halfway.

import { monotonicMs, sleep } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import { BUSY_TIMEOUT_MS, type SqliteConnection } from './connection.ts'
import type { DataVersion } from './data-version.ts'
import { isSqliteCode, translate } from './errors.ts'
import type { Statements } from './statements.ts'

/**
 * Commits everything that `work` writes, or nothing. Resolves when it is durable; rejects with `unavailable` or
 * `storage_full`.
 */
export type Transact = <Result>(work: () => Result, options?: Writing) => Promise<Result>

/** `keepsKeys`: `work` changes no API key, so cached keys stay valid. */
type Writing = { keepsKeys?: boolean }

/**
 * The pause between attempts while another process writes. SQLite's own wait would block the thread, and all reads,
 * for up to 100 ms at a time.
 */
const AGAIN_MS = 1

export interface Transactions {
  transact: Transact
  /** Runs `work` and delays transactions of this process until it ends. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when all transactions have ended. */
  drained(): Promise<unknown>
}

export function transactions(
  connection: SqliteConnection,
  statements: Statements,
  version: DataVersion,
  afterCommit: () => void = () => undefined,
): Transactions {
  const begin = statements.query('BEGIN IMMEDIATE')
  const commit = statements.query('COMMIT')
  /**
   * The connection must be reopened, because a transaction could not be ended, or a failed write or sync left the
   * state of the disk unknown.
   */
  let doubtful = false

  function reopen(): void {
    try {
      connection.reopen()
    } catch (cause) {
      throw unavailable(cause)
    }
    doubtful = false
    version.changed()
  }

  function attempt<Result>(work: () => Result, options?: Writing): Result {
    if (doubtful) reopen()
    try {
      beginOrThrow()
      return committed(work, options)
    } catch (error) {
      doubtful = !rolledBack() || isSqliteCode(error, 'SQLITE_IOERR')
      throw error
    }
  }

  /** Runs inside a transaction. If the transaction could not begin, nothing has changed and caches stay valid. */
  function committed<Result>(work: () => Result, options?: Writing): Result {
    try {
      const result = work()
      commit.run()
      afterCommit()
      // Nothing may be acknowledged if the file can no longer be opened by its path.
      connection.check()
      return result
    } finally {
      version.changed(options)
    }
  }

  function rolledBack(): boolean {
    const { database } = connection
    try {
      // SQLite may have rolled back on its own.
      if (database.inTransaction) database.run('ROLLBACK')
      return !database.inTransaction
    } catch {
      return false
    }
  }

  /** Begins without waiting for the lock. Later statements can wait again. */
  function beginOrThrow(): void {
    const { database } = connection
    database.run('PRAGMA busy_timeout = 0')
    try {
      begin.run()
    } finally {
      database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  async function attemptAgain<Result>(work: () => Result, options?: Writing): Promise<Result> {
    if (held) await held
    const until = monotonicMs() + BUSY_TIMEOUT_MS
    for (;;) {
      try {
        return attempt(work, options)
      } catch (error) {
        if (!isSqliteCode(error, 'SQLITE_BUSY') || monotonicMs() > until) throw translate(error)
      }
      await sleep(AGAIN_MS)
    }
  }

  const waiting = new Set<Promise<unknown>>()
  let held: Promise<unknown> | undefined

  return {
    transact<Result>(work: () => Result, options?: Writing) {
      const running: Promise<Result> = attemptAgain(work, options).finally(() => waiting.delete(running))
      waiting.add(running)
      return running
    },
    hold(work) {
      const holding = work().finally(() => {
        held = undefined
      })
      held = holding
      return holding
    },
    drained: () => Promise.allSettled(waiting),
  }
}
