// How long the service waits for PostgreSQL, and PostgreSQL for the service.

import { startTimer, stopTimer } from '../../../system/runtime.ts'
import { StoreFailure } from './errors.ts'

/** To connect to a host and to probe it. */
export const CONNECT_TIMEOUT_MS = 1_500
/** To close the connection of a command or a migration. */
export const CLOSE_TIMEOUT_MS = 1_000
/** To retry at startup or in a command, while no client waits. */
export const START_WAIT_MS = 10_000
/**
 * For the other hosts after one that accepts writes has responded. A new primary on a busy machine can be slow to
 * accept a connection; without this wait, an old primary that wakes up would be used.
 */
export const RIVAL_WAIT_MS = 500
/** The server cancels a longer statement. This does not limit the commit, which can wait for a standby. */
export const STATEMENT_TIMEOUT_MS = 2_000
/** A connection without a response for this long is considered dead. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500
/** How long a statement waits for a free connection. */
export const READ_QUEUE_MS = 1_000
export const WRITE_QUEUE_MS = STATEMENT_TIMEOUT_MS
/**
 * How long a process that stops in a transaction, or whose machine is lost, keeps its locks: less than the limit of
 * statements that wait for them.
 */
export const TRANSACTION_IDLE_MS = STATEMENT_TIMEOUT_MS - 500

/** Settles like `work`, or rejects with a StoreFailure after `ms` milliseconds; `work` continues. */
export function withTimeout<Result>(ms: number, work: Promise<Result>, code: string, message: string): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimer(() => reject(new StoreFailure(code, message)), ms)
  return Promise.race([work, promise]).finally(() => stopTimer(timer))
}

/** Settles like `work`, or rejects with NO_ANSWER after a timeout. */
export function inTime<Result>(work: Promise<Result>, ms = ANSWER_TIMEOUT_MS): Promise<Result> {
  return withTimeout(ms, work, 'NO_ANSWER', 'the database did not answer in time')
}
