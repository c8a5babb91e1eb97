// The connections to one host, and whether its commits have reached the standby.

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import { unavailable } from '../../shared/failures.ts'
import type { PostgresAddress } from './address.ts'
import { APPLICATION, Client } from './client.ts'
import { codeOf, isGone, StoreFailure } from './errors.ts'
import type { WritableHost } from './hosts.ts'
import { Pool } from './pool.ts'
import { checkSettings } from './server-check.ts'
import { type RunQuery, Session } from './session.ts'
import { ANSWER_TIMEOUT_MS, READ_QUEUE_MS, STATEMENT_TIMEOUT_MS, WRITE_QUEUE_MS, withTimeout } from './time-limits.ts'

/** One for changes of pets and orders, so that changes of keys need not wait for it. */
const WRITERS = 2

/** Writes to the write-ahead log, so that the commit waits for the synchronous standby. Has no other effect. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** Makes the commit durable, like the triggers on the tables. */
export const COMMIT_DURABLY = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
  THEN set_config('synchronous_commit', 'on', true) END`
const FENCE = `SELECT ${LOG_MESSAGE}, ${COMMIT_DURABLY}`
/**
 * A statement of the service that exceeds the statement timeout, so it is committing. Users see only statements of
 * their own role.
 */
const RUNNING = `SELECT pid FROM pg_stat_activity
  WHERE state = 'active' AND application_name = '${APPLICATION}' AND datname = current_database()
    AND query_start < clock_timestamp() - ${STATEMENT_TIMEOUT_MS} * interval '1 ms' LIMIT 1`

/** A commit that waits for the standby, from this server or another one with its role. */
export const AWAITS_STANDBY = `SELECT pid FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND application_name = '${APPLICATION}' AND datname = current_database() LIMIT 1`

/** Throws if the store must not use this host. */
export type Check = (host: WritableHost, query: RunQuery) => Promise<void>

interface Listener {
  /** Called when a connection ends, when the first commit or the check fails, and when the host is down. */
  lost: (connections: HostConnections) => void
  /** Called for each connection that could not be opened. */
  notOpened: () => void
}

export class HostConnections {
  readonly readers: Pool<Session>
  /**
   * For everything that must be replicated. Separate, so that reads never wait for a commit, nor a commit for reads.
   */
  readonly writers: Pool<Session>
  /**
   * Resolves when the connections can be used: the host was checked, and everything visible on it has reached its
   * standby.
   */
  readonly ready: Promise<void>
  /** A commit still waits for the standby after its caller got an error. */
  stuck = false
  /** When the host last responded; `undefined` during a search for the primary. */
  answeredAt: number | undefined
  /** How often an operator has cancelled a commit's wait for the standby. */
  private cancelledWaits = 0

  constructor(
    address: PostgresAddress,
    readonly host: WritableHost,
    check: Check,
    { lost, notOpened }: Listener,
  ) {
    const options = {
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      onClose: () => lost(this),
      onUnreplicated: () => {
        this.cancelledWaits++
      },
    }
    const opening = {
      open: (session: Session) => inTime(session.open()),
      onFailure: (error: unknown, isAnyOpen: boolean) => {
        notOpened()
        if (isGone(error) || (!isAnyOpen && !(error instanceof DatabaseError))) lost(this)
      },
    }
    const noneFree = () => unavailable(new Error('no connection is free'))
    const pool = (length: number, waitMs: number) => {
      const open = () => new Session(() => Client.open(address, host, options), onTimeline(host))
      return new Pool(Array.from({ length }, open), waitMs, noneFree, opening)
    }
    this.readers = pool(address.connections, READ_QUEUE_MS)
    this.writers = pool(WRITERS, WRITE_QUEUE_MS)
    this.ready = this.late(this.fence().then(() => this.writers.run(({ query }) => check(host, query))))
    this.ready.catch(() => lost(this))
  }

  /** Statements and transactions in progress are finished first. */
  async close(): Promise<void> {
    const pools = [this.readers, this.writers]
    for (const pool of pools) pool.close()
    const sessions = pools.flatMap(({ items }) => items)
    await Promise.allSettled(sessions.map((session) => session.close(ANSWER_TIMEOUT_MS)))
  }

  /**
   * Settles like `writing`, however long the database works on it. Rejects with NO_ANSWER if its response must have
   * been lost.
   */
  async late<Result>(writing: Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await inTime(writing)
      } catch (error) {
        if (codeOf(error) !== 'NO_ANSWER' || this.readers.isClosed || !(await this.mayRun())) throw error
      }
    }
  }

  /** Throws if an operator cancelled the commit's wait for the standby, because the commit is only on this host. */
  async replicated<Result>(work: () => Promise<Result>): Promise<Result> {
    const { cancelledWaits } = this
    const result = await work()
    if (this.cancelledWaits > cancelledWaits)
      throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
    return result
  }

  private async mayRun(): Promise<boolean> {
    try {
      const { running } = await this.readers.start((session) => session.query(RUNNING))
      return (await inTime(running)).length > 0
    } catch (error) {
      // No connection is free for the query.
      if (error instanceof PetstoreError) return true
      throw error
    }
  }

  /**
   * When a host is used for the first time, or again, some of its commits may not be on the standby yet, because their
   * connection ended first. A new commit reaches the standby after all of them.
   */
  private fence(): Promise<void> {
    return this.writers.run(async ({ query }) => {
      await this.replicated(() => query(FENCE))
      await checkSettings(query)
    })
  }
}

/** Settles like `work`, or rejects with NO_ANSWER after a timeout. */
export function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = () => new StoreFailure('NO_ANSWER', 'the database did not answer in time')
  return withTimeout(ANSWER_TIMEOUT_MS, work, late)
}

/**
 * A condition that fails if a statement runs on another timeline than the host's, because a proxy or pooler can switch
 * hosts. On a standby the log position raises 55000, on another timeline the division raises 22012. Plain SQL has no
 * other way to raise an error.
 */
function onTimeline({ timeline }: WritableHost): string {
  return `(SELECT 1 / (left(pg_walfile_name(pg_current_wal_lsn()), 8) = '${timeline}')::int) = 1`
}
