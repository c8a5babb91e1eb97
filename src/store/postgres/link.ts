// The connections to one host, and whether what is written there has reached its standby.

import { StartError } from '../../domain/errors.ts'
import type { PostgresAddress } from './address.ts'
import { askOn } from './ask.ts'
import { StoreFailure } from './errors.ts'
import { ISOLATION, openPool, type Sql, type WritableHost } from './hosts.ts'

/** The server cancels a statement that takes longer. This does not limit the commit, which may wait for a standby. */
const STATEMENT_TIMEOUT_MS = 2_000
/** After this long without a response, a connection counts as dead. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500

/** Writes to the write-ahead log, so that the commit waits for the synchronous standby. It has no other effect. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** Makes the commit durable in the same way as the triggers on the tables do. */
const FENCE = `SELECT current_setting('transaction_isolation') AS isolation, ${LOG_MESSAGE},
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`

export interface Link {
  readonly host: WritableHost
  readonly readers: Sql
  /** One connection for everything that must be replicated, so that reads never wait behind a commit, nor a commit behind reads. */
  readonly writer: Sql
  /** Resolves when the link may be used: everything that this host shows has reached its standby, too, and it was checked. */
  ready: Promise<void>
  /** How often an operator has cancelled a commit's wait for the standby. */
  warnings: number
  /** A commit of the writer still waits for the standby, after its caller got an error. */
  stuck: boolean
  /** When the host last responded; `undefined` while hosts are compared. */
  answeredAt: number | undefined
}

/** Whether a host may be used, as far as the store is concerned. Throws when it may not. */
export type Check = (link: Link) => Promise<void>

/** Calls `lost` when a connection has ended, and when the first commit or the check fails. */
export function openLink(address: PostgresAddress, host: WritableHost, check: Check, lost: (link: Link) => void): Link {
  const onnotice = ({ severity, routine }: { severity?: string; routine?: string }) => {
    // The only warning on these connections, except the one about a collation's version when a connection is opened.
    if (severity === 'WARNING' && routine !== 'CheckMyDatabase') link.warnings++
  }
  const options = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, onclose: () => lost(link), onnotice }
  const link: Link = {
    host,
    readers: openPool(address, host, { ...options, max: address.connections }),
    writer: openPool(address, host, { ...options, max: 1 }),
    ready: Promise.resolve(),
    warnings: 0,
    stuck: false,
    answeredAt: undefined,
  }
  link.ready = fence(link).then(() => check(link))
  link.ready.catch(() => lost(link))
  return link
}

/** Queries in progress are finished first. */
export async function closeLink({ readers, writer }: Link): Promise<void> {
  const timeout = ANSWER_TIMEOUT_MS / 1000
  await Promise.allSettled([readers.end({ timeout }), writer.end({ timeout })])
}

/**
 * Fails before the SELECT has done anything where it does not run on the link's timeline: behind a proxy or a pooler the host may have
 * changed. On a standby the position in the log is an error (55000), on another timeline the division is one (22012): plain SQL has no
 * other way to raise an error. PostgreSQL evaluates the condition once and first, even when no row is found, and keeps the order of
 * the subquery.
 */
export function onTimeline({ host }: Link, select: string): string {
  return `SELECT * FROM (${select}) AS answer
    WHERE (SELECT 1 / (left(pg_walfile_name(pg_current_wal_lsn()), 8) = '${host.timeline}')::int) = 1`
}

/** Throws when an operator has cancelled the commit's wait for the standby: what it wrote is on this host only. */
export async function replicated<Result>(link: Link, work: () => Promise<Result>): Promise<Result> {
  const { warnings } = link
  const result = await work()
  if (link.warnings > warnings) throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
  return result
}

/**
 * When a host is used for the first time, or again, some of its commits may not be on the standby yet, because the connection that
 * made them ended before they were replicated. A new commit reaches the standby after all of them.
 */
async function fence(link: Link): Promise<void> {
  const [row] = await replicated(link, () => askOn(link.writer)<{ isolation: string }>(onTimeline(link, FENCE)))
  if (row?.isolation !== ISOLATION) {
    throw new StartError(
      `its transactions are ${row?.isolation}: set default_transaction_isolation of the role to '${ISOLATION}'`,
    )
  }
}
