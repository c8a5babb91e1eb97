// The connections to one host, and whether its commits have reached the standby.

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import { unavailable } from '../../shared/failures.ts'
import type { PostgresAddress } from '../address.ts'
import { checkSettings } from '../start-checks.ts'
import { Client, IS_OURS } from './client.ts'
import { codeOf, isGone, isLost, StoreFailure } from './errors.ts'
import { TIMELINE, type WritableHost } from './hosts.ts'
import { Pool } from './pool.ts'
import { LOG_MESSAGE, type RunQuery, Session } from './session.ts'
import { ANSWER_TIMEOUT_MS, inTime, READ_QUEUE_MS, STATEMENT_TIMEOUT_MS, WRITE_QUEUE_MS } from './time-limits.ts'

/** Changes of pets and orders use one at a time. The other is for changes of keys, which then need not wait. */
const WRITERS = 2

/**
 * Whether a statement of this server, or of another one with the same role, has run for longer than the statement
 * timeout: it must be committing, because the timeout does not apply to commits. And whether a commit waits for the
 * standby. A role sees only its own statements.
 */
const COMMITTING = `SELECT coalesce(bool_or(wait_event = 'SyncRep'), false) AS waits, coalesce(bool_or(
    state = 'active' AND query_start < clock_timestamp() - ${STATEMENT_TIMEOUT_MS} * interval '1 ms'), false) AS runs
  FROM pg_stat_activity WHERE ${IS_OURS}`

/** Throws if the store must not use this host. */
export type Check = (host: WritableHost, query: RunQuery) => Promise<void>

interface Listener {
  /** Called when a connection ends or the host is down (`lost`), and when the first commit or the check fails. */
  lost: (reason: 'lost' | 'refused') => void
  /** Called for each connection that could not be opened. */
  notOpened: (error: unknown) => void
}

export class HostConnections {
  readonly readers: Pool<Session>
  /**
   * For everything that must be replicated. A separate pool, so that reads never wait for commits, or commits for
   * reads.
   */
  readonly writers: Pool<Session>
  /**
   * Resolves when the connections can be used: the host was checked, and everything visible on it has reached its
   * standby.
   */
  readonly ready: Promise<void>
  /** How often an operator has cancelled a commit's wait for the standby. */
  private cancelledWaits = 0

  constructor(
    address: PostgresAddress,
    readonly host: WritableHost,
    check: Check,
    private readonly listener: Listener,
  ) {
    const options = {
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      onClose: () => listener.lost('lost'),
      onUnreplicated: () => {
        this.cancelledWaits++
      },
    }
    const opening = {
      open: (session: Session) => inTime(session.open()),
      onFailure: (error: unknown, isAnyOpen: boolean) => {
        listener.notOpened(error)
        if (isGone(error) || (!isAnyOpen && !(error instanceof DatabaseError))) listener.lost('lost')
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
    this.ready.catch(() => listener.lost('refused'))
  }

  /** Closes all connections, each after its statement or transaction in progress or after a timeout. */
  async close(): Promise<void> {
    const pools = [this.readers, this.writers]
    for (const pool of pools) pool.close()
    const sessions = pools.flatMap(({ items }) => items)
    await Promise.allSettled(sessions.map((session) => session.close(ANSWER_TIMEOUT_MS)))
  }

  /**
   * Settles like `writing`, however long the database takes. Rejects with NO_ANSWER if no statement is running
   * any more, so the response must have been lost.
   */
  async late<Result>(writing: Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await inTime(writing)
      } catch (error) {
        if (codeOf(error) !== 'NO_ANSWER' || this.readers.isClosed) throw error
        const found = await this.committing().catch((failure) => {
          if (!(failure instanceof PetstoreError)) throw failure
        })
        if (found && !found.runs) throw error
      }
    }
  }

  /** Rejects if an operator cancels the commit's wait for the standby: the commit is then only on this host. */
  async replicated<Result>(work: () => Promise<Result>): Promise<Result> {
    const { cancelledWaits } = this
    const result = await work()
    if (this.cancelledWaits > cancelledWaits)
      throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
    return result
  }

  /** Returns why a commit is slow. Calls `lost` if the host does not respond at all. */
  async whyLate(): Promise<StoreFailure> {
    return (await this.committing().catch(() => undefined))?.waits
      ? new StoreFailure('NOT_REPLICATED', 'a commit waits for the standby')
      : new StoreFailure(
          'SLOW_COMMIT',
          'a commit is slow: the disk is slow, or a migration lost in a failover runs again',
        )
  }

  /** Rejects with a PetstoreError if no connection was free for the query. */
  private async committing(): Promise<{ waits: boolean; runs: boolean } | undefined> {
    const { running } = await this.readers.start(({ query }) => query<{ waits: boolean; runs: boolean }>(COMMITTING))
    const [found] = await inTime(running).catch((error) => {
      if (isLost(error)) this.listener.lost('lost')
      throw error
    })
    return found
  }

  /**
   * Waits until everything visible on the host has reached the standby. Earlier commits may not have reached it, if
   * their connections ended while they waited. A new commit reaches the standby after all of them.
   */
  private fence(): Promise<void> {
    return this.writers.run(async (session) => {
      await this.replicated(() => session.transaction(() => session.query(`SELECT ${LOG_MESSAGE}`)))
      await checkSettings(session.query)
    })
  }
}

/**
 * Returns a condition that raises an error if a statement does not run on the host's timeline, because a proxy or
 * pooler can switch hosts. On a standby, reading the log position raises 55000; on another timeline, the division by
 * zero raises 22012. Plain SQL has no other way to raise an error.
 */
function onTimeline({ timeline }: WritableHost): string {
  return `(SELECT 1 / (${TIMELINE} = '${timeline}')::int) = 1`
}
