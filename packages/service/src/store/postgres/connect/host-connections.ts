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

export interface HostConnections {
  readonly host: WritableHost
  readonly readers: Pool<Session>
  /**
   * For everything that must be replicated. Separate, so that reads never wait for a commit, nor a commit for reads.
   */
  readonly writers: Pool<Session>
  /**
   * Resolves when the connections can be used: the host was checked, and everything visible on it has reached its
   * standby.
   */
  ready: Promise<void>
  /** How often an operator has cancelled a commit's wait for the standby. */
  cancelledWaits: number
  /** A commit still waits for the standby after its caller got an error. */
  stuck: boolean
  /** When the host last responded; `undefined` during a search for the primary. */
  answeredAt: number | undefined
}

/** Throws if the store must not use this host. */
export type Check = (host: WritableHost, query: RunQuery) => Promise<void>

interface Listener {
  /** Called when a connection ends, when the first commit or the check fails, and when the host is down. */
  lost: (connections: HostConnections) => void
  /** Called for each connection that could not be opened. */
  notOpened: () => void
}

export function openConnections(
  address: PostgresAddress,
  host: WritableHost,
  check: Check,
  { lost, notOpened }: Listener,
): HostConnections {
  const options = {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onClose: () => lost(connections),
    onUnreplicated: () => {
      connections.cancelledWaits++
    },
  }
  const sessions = (length: number) =>
    Array.from({ length }, () => new Session(() => Client.open(address, host, options), onTimeline(host)))
  const opening = {
    open: (session: Session) => inTime(session.open()),
    onFailure: (error: unknown, isAnyOpen: boolean) => {
      notOpened()
      if (isGone(error) || (!isAnyOpen && !(error instanceof DatabaseError))) lost(connections)
    },
  }
  const connections: HostConnections = {
    host,
    readers: new Pool(sessions(address.connections), READ_QUEUE_MS, noneFree, opening),
    writers: new Pool(sessions(WRITERS), WRITE_QUEUE_MS, noneFree, opening),
    ready: Promise.resolve(),
    cancelledWaits: 0,
    stuck: false,
    answeredAt: undefined,
  }
  connections.ready = late(
    connections,
    fence(connections).then(() => connections.writers.run(({ query }) => check(host, query))),
  )
  connections.ready.catch(() => lost(connections))
  return connections
}

/** Statements and transactions in progress are finished first. */
export async function closeConnections({ readers, writers }: HostConnections): Promise<void> {
  for (const pool of [readers, writers]) pool.close()
  await Promise.allSettled([...readers.items, ...writers.items].map((session) => session.close(ANSWER_TIMEOUT_MS)))
}

/**
 * A condition that fails if a statement runs on another timeline than the host's, because a proxy or pooler can switch
 * hosts. On a standby the log position raises 55000, on another timeline the division raises 22012. Plain SQL has no
 * other way to raise an error.
 */
function onTimeline({ timeline }: WritableHost): string {
  return `(SELECT 1 / (left(pg_walfile_name(pg_current_wal_lsn()), 8) = '${timeline}')::int) = 1`
}

function noneFree(): Error {
  return unavailable(new Error('no connection is free'))
}

/** Settles like `work`, or rejects with NO_ANSWER after a timeout. */
export function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return withTimeout(
    ANSWER_TIMEOUT_MS,
    work,
    () => new StoreFailure('NO_ANSWER', 'the database did not answer in time'),
  )
}

/**
 * Settles like `writing`, however long the database works on it. Rejects with NO_ANSWER if its response must have been
 * lost.
 */
export async function late<Result>(connections: HostConnections, writing: Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await inTime(writing)
    } catch (error) {
      if (codeOf(error) !== 'NO_ANSWER' || connections.readers.isClosed || !(await mayRun(connections))) throw error
    }
  }
}

async function mayRun({ readers }: HostConnections): Promise<boolean> {
  try {
    const { running } = await readers.start((session) => session.query(RUNNING))
    return (await inTime(running)).length > 0
  } catch (error) {
    // No connection is free for the query.
    if (error instanceof PetstoreError) return true
    throw error
  }
}

/** Throws if an operator cancelled the commit's wait for the standby, because the commit is only on this host. */
export async function replicated<Result>(connections: HostConnections, work: () => Promise<Result>): Promise<Result> {
  const { cancelledWaits } = connections
  const result = await work()
  if (connections.cancelledWaits > cancelledWaits)
    throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
  return result
}

/**
 * When a host is used for the first time, or again, some of its commits may not be on the standby yet, because their
 * connection ended first. A new commit reaches the standby after all of them.
 */
async function fence(connections: HostConnections): Promise<void> {
  await connections.writers.run(async ({ query }) => {
    await replicated(connections, () => query(FENCE))
    await checkSettings(query)
  })
}
