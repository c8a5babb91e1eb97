// The connections to one host, and whether what is written there has reached its standby.

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

/** Changes of pets and orders use one at a time, and changes of keys do not wait for it. */
const WRITERS = 2

/** Writes to the write-ahead log, so that the commit waits for the synchronous standby. It has no other effect. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** Makes the commit durable in the same way as the triggers on the tables do. */
export const COMMIT_DURABLY = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
  THEN set_config('synchronous_commit', 'on', true) END`
const FENCE = `SELECT ${LOG_MESSAGE}, ${COMMIT_DURABLY}`
/** A statement of the service that takes longer than it may, so it is in its commit. Users see those of their own role. */
const RUNNING = `SELECT pid FROM pg_stat_activity
  WHERE state = 'active' AND application_name = '${APPLICATION}' AND datname = current_database()
    AND query_start < clock_timestamp() - ${STATEMENT_TIMEOUT_MS} * interval '1 ms' LIMIT 1`

/** A commit that waits for the standby, of this server or of another one with its role. */
export const AWAITS_STANDBY = `SELECT pid FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND application_name = '${APPLICATION}' AND datname = current_database() LIMIT 1`

export interface HostConnections {
  readonly host: WritableHost
  readonly readers: Pool<Session>
  /** For everything that must be replicated, so that reads never wait behind a commit, nor a commit behind reads. */
  readonly writers: Pool<Session>
  /** Resolves when they may be used: everything that this host shows has reached its standby, too, and it was checked. */
  ready: Promise<void>
  /** How often an operator has cancelled a commit's wait for the standby. */
  cancelledWaits: number
  /** A commit still waits for the standby, after its caller got an error. */
  stuck: boolean
  /** When the host last responded; `undefined` while hosts are compared. */
  answeredAt: number | undefined
}

/** Whether a host may be used, as far as the store is concerned. Throws when it may not. */
export type Check = (host: WritableHost, query: RunQuery) => Promise<void>

interface Listener {
  /** Called when a connection has ended, when the first commit or the check fails, and when the host is gone. */
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
 * A condition that fails where a statement does not run on the timeline of the host that was found: behind a proxy or a pooler the host
 * may have changed. On a standby the position in the log is an error (55000), on another timeline the division is one (22012): plain
 * SQL has no other way to raise an error.
 */
function onTimeline({ timeline }: WritableHost): string {
  return `(SELECT 1 / (left(pg_walfile_name(pg_current_wal_lsn()), 8) = '${timeline}')::int) = 1`
}

function noneFree(): Error {
  return unavailable(new Error('no connection is free'))
}

/** Settles as `work` does; fails with NO_ANSWER when that takes too long. */
export function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return withTimeout(
    ANSWER_TIMEOUT_MS,
    work,
    () => new StoreFailure('NO_ANSWER', 'the database did not answer in time'),
  )
}

/** Settles as `writing` does, for however long the database works on it. Fails with NO_ANSWER when its answer must have been lost. */
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
    // No connection is free for the question.
    if (error instanceof PetstoreError) return true
    throw error
  }
}

/** Throws when an operator has cancelled the commit's wait for the standby: what it wrote is on this host only. */
export async function replicated<Result>(connections: HostConnections, work: () => Promise<Result>): Promise<Result> {
  const { cancelledWaits } = connections
  const result = await work()
  if (connections.cancelledWaits > cancelledWaits)
    throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
  return result
}

/**
 * When a host is used for the first time, or again, some of its commits may not be on the standby yet, because the connection that
 * made them ended before they were replicated. A new commit reaches the standby after all of them.
 */
async function fence(connections: HostConnections): Promise<void> {
  await connections.writers.run(async ({ query }) => {
    await replicated(connections, () => query(FENCE))
    await checkSettings(query)
  })
}
