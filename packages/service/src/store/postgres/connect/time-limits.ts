// How long the service waits for PostgreSQL, and PostgreSQL for the service.

import { startTimer, stopTimer } from '../../../system/runtime.ts'

/** For a connection, and for what is asked first of a host. */
export const CONNECT_TIMEOUT_MS = 1_500
/** For what may come soon, at a start or in a command, where nobody waits for an answer yet. */
export const START_WAIT_MS = 10_000
/**
 * For the other hosts after one that accepts writes has responded. A new primary on a busy machine may be slow to open a connection, and
 * until it is heard, an old one that wakes would be read.
 */
export const RIVAL_WAIT_MS = 500
/** The server cancels a statement that takes longer. This does not limit the commit, which may wait for a standby. */
export const STATEMENT_TIMEOUT_MS = 2_000
/** After this long without a response, a connection counts as dead. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500
/** How long a statement may wait for a connection. */
export const READ_QUEUE_MS = 1_000
export const WRITE_QUEUE_MS = STATEMENT_TIMEOUT_MS
/**
 * A process that stops in a transaction, or whose machine is lost, keeps its locks for this long: less than the limit of the statements of
 * others, which wait for them.
 */
export const TRANSACTION_IDLE_MS = STATEMENT_TIMEOUT_MS - 500
/** The same for a migration, which would have to begin again. */
export const MIGRATION_IDLE_MS = 10_000

/** Settles as `work` does, or rejects with `late()` after `ms` milliseconds; the work itself continues. */
export async function withTimeout<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimer(() => reject(late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    stopTimer(timer)
  }
}
