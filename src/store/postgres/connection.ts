// Connections to the host that accepts writes, with a time limit on every wait. When one connection is lost, all are closed and the
// hosts are asked again which of them accepts writes: a host that comes back may be a standby by now, or may lack what it had not yet
// sent to its standby.

import { StartError } from '../../domain/errors.ts'
import { unavailable } from '../shared/failures.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, isLost, StoreFailure, translate, translateAdding, translateChanging } from './errors.ts'
import { ISOLATION, isSame, openPool, type Sql, type WritableHost, writableHost } from './hosts.ts'
import { Semaphore } from './semaphore.ts'
import { withTimeout } from './timeout.ts'

/** The server cancels a statement that takes longer. This does not limit the commit, which may wait for a standby. */
const STATEMENT_TIMEOUT_MS = 2_000
/** After this long without a response, a connection counts as dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500
const QUEUE_TIMEOUT_MS = 1_000
/** The time from a failed search for a host to the next one. Calls in between fail at once with the same error. */
const PAUSE_MS = 100
/** How long a call waits for the first commit on a host. */
const FENCE_WAIT_MS = 500
/** After this long without a response, the other hosts are asked, too, before this one is used again. */
const QUIET_MS = 1_000
/** How long the start waits for a database server that is starting, or for its standby. */
const START_WAIT_MS = 10_000

/** Writes to the write-ahead log, so that the commit waits for the synchronous standby. It has no other effect. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** Makes the commit durable in the same way as the triggers on the tables do. */
const FENCE = `SELECT current_setting('transaction_isolation') AS isolation, ${LOG_MESSAGE},
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`

export type Parameter = string | number | bigint | boolean | null

/** Resolves with the rows of one statement. Each connection prepares it once. */
export type Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

interface Link {
  readonly host: WritableHost
  readonly readers: Sql
  /** One connection for everything that must be replicated, so that reads never wait behind a commit, nor a commit behind reads. */
  readonly writer: Sql
  /** Resolves when a commit has succeeded: everything that this host shows has then reached its standby, too. */
  fenced: Promise<void>
  /** How often an operator has cancelled a commit's wait for the standby. */
  warnings: number
  /** A commit of the writer still waits for the standby, after its caller got an error. */
  stuck: boolean
  /** When the host last responded; `undefined` while hosts are compared. */
  answeredAt: number | undefined
}

export class Connection {
  /** The link in use, or the search for one. */
  private linking: Promise<Link> | undefined
  private link: Link | undefined
  private readonly semaphore: Semaphore

  private constructor(private readonly address: PostgresAddress) {
    this.semaphore = new Semaphore(address.connections, QUEUE_TIMEOUT_MS, () =>
      unavailable(new Error('no connection is free')),
    )
  }

  /** Throws the error of the server, the driver or the system, unchanged, when no host of the address can be used. */
  static async open(address: PostgresAddress): Promise<Connection> {
    const connection = new Connection(address)
    for (const deadline = performance.now() + START_WAIT_MS; ; await Bun.sleep(PAUSE_MS)) {
      try {
        await connection.linked()
        return connection
      } catch (error) {
        if (['57P03', 'NOT_REPLICATED'].includes(codeOf(error)) && performance.now() < deadline) continue
        await connection.close()
        throw error
      }
    }
  }

  /**
   * Runs one SELECT on a host that accepts writes. Fails on a standby, to which a pooler may have moved the connection. Throws
   * `unavailable` within a few seconds when the database fails.
   */
  readonly read: Ask = (statement, ...parameters) =>
    this.use(({ readers }) => askOn(readers)(onPrimary(statement), ...parameters))

  /** Runs one statement that a standby refuses, such as an INSERT. Resolves when it is committed; fails as `read` does. */
  readonly write: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translate)

  /** As `write`, for adding pets. When the statement may have been committed, the error says so. */
  readonly add: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translateAdding)

  /** As `add`, for orders. */
  readonly change: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translateChanging)

  /** Commits everything that `work` writes, or nothing. */
  transaction<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.written(({ writer }) => inTransaction(writer, work), translate)
  }

  /** A write that may be lost without harm. It does not wait for the standby, and pets do not wait for it. */
  readonly background: Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.use(({ readers }) =>
      inTransaction(readers, async (ask) => {
        await ask("SET LOCAL synchronous_commit = 'local'")
        return ask<Row>(statement, ...parameters)
      }),
    )

  pool() {
    return this.semaphore.state
  }

  async close(): Promise<void> {
    await this.linking?.catch(() => {})
    if (this.link) await end(this.link)
  }

  private async use<Result>(work: (link: Link) => Promise<Result>): Promise<Result> {
    const link = await this.linkedOrUnavailable()
    return this.semaphore.use(async () => {
      try {
        return await this.answered(link, work(link))
      } catch (error) {
        if (isLost(error)) this.leave(link)
        throw translate(error)
      }
    })
  }

  private async answered<Result>(link: Link, work: Promise<Result>): Promise<Result> {
    const result = await withTimeout(
      ANSWER_TIMEOUT_MS,
      work,
      () => new StoreFailure('NO_ANSWER', 'the database did not answer in time'),
    )
    link.answeredAt = performance.now()
    return result
  }

  private async written<Result>(
    work: (link: Link) => Promise<Result>,
    failure: (error: unknown) => unknown,
  ): Promise<Result> {
    const link = await this.linkedOrUnavailable()
    if (link.stuck) {
      // Closes the connections when the host does not respond at all.
      await this.read('SELECT 1')
      throw unavailable(new StoreFailure('NOT_REPLICATED', 'an earlier commit still waits for the standby'))
    }
    const writing = replicated(link, () => work(link))
    try {
      return await this.answered(link, writing)
    } catch (error) {
      // The connection stays open: a new one would wait as long, and the server's connections are limited.
      if (codeOf(error) === 'NO_ANSWER') this.awaitStuck(link, writing)
      else if (isLost(error)) this.leave(link)
      throw failure(error)
    }
  }

  private awaitStuck(link: Link, writing: Promise<unknown>): void {
    link.stuck = true
    writing.then(
      () => {
        link.stuck = false
      },
      () => this.leave(link),
    )
  }

  private async linkedOrUnavailable(): Promise<Link> {
    try {
      return await this.linked()
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** Calls at the same time share one search for the host, and its failure. */
  private linked(): Promise<Link> {
    if (this.linking && !this.isQuiet()) return this.linking
    const linking = this.look()
    this.linking = linking
    linking.catch(() => setTimeout(() => this.forget(linking), PAUSE_MS))
    return linking
  }

  /**
   * A host that was frozen and replaced continues as if nothing had happened. A server that uses it all the time notices that it is
   * frozen. A server that has not used it for a while has to ask the other hosts.
   */
  private isQuiet(): boolean {
    const { link } = this
    if (!link?.answeredAt || this.address.hosts.length === 1) return false
    return performance.now() - link.answeredAt > QUIET_MS
  }

  private forget(linking: Promise<Link>): void {
    if (this.linking === linking) this.linking = undefined
  }

  private async look(): Promise<Link> {
    if (this.link) this.link.answeredAt = undefined
    const host = await writableHost(this.address)
    if (this.link && !isSame(this.link.host, host)) this.leave(this.link)
    this.link ??= this.connect(host)
    const { link } = this
    await withTimeout(
      FENCE_WAIT_MS,
      link.fenced,
      () => new StoreFailure('NOT_REPLICATED', 'a commit waits for the standby'),
    )
    link.answeredAt = performance.now()
    return link
  }

  private connect(host: WritableHost): Link {
    const { address } = this
    const onnotice = ({ severity, routine }: { severity?: string; routine?: string }) => {
      // The only warning on these connections, except the one about a collation's version when a connection is opened.
      if (severity === 'WARNING' && routine !== 'CheckMyDatabase') link.warnings++
    }
    const options = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, onclose: () => this.leave(link), onnotice }
    const link: Link = {
      host,
      readers: openPool(address, host, { ...options, max: address.connections }),
      writer: openPool(address, host, { ...options, max: 1 }),
      fenced: Promise.resolve(),
      warnings: 0,
      stuck: false,
      answeredAt: undefined,
    }
    link.fenced = fence(link)
    link.fenced.catch(() => this.leave(link))
    return link
  }

  /** Queries in progress are finished first. */
  private leave(link: Link): void {
    if (this.link !== link) return
    this.link = undefined
    this.linking = undefined
    void end(link)
  }
}

export function askOn(sql: Sql): Ask {
  return async <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    Array.from(await sql.unsafe<Row[]>(statement, parameters, { prepare: true }))
}

function inTransaction<Result>(sql: Sql, work: (ask: Ask) => Promise<Result>): Promise<Result> {
  return sql.begin((transaction) => work(askOn(transaction as unknown as Sql))) as Promise<Result>
}

/**
 * On a standby, pg_current_wal_lsn() is an error. PostgreSQL evaluates it once and first, even when no row is found, and keeps the
 * order of the subquery.
 */
function onPrimary(select: string): string {
  return `SELECT * FROM (${select}) AS answer WHERE (SELECT pg_current_wal_lsn()) IS NOT NULL`
}

/**
 * When a host is used for the first time, or again, some of its commits may not be on the standby yet, because the connection that
 * made them ended before they were replicated. A new commit reaches the standby after all of them.
 */
async function fence(link: Link): Promise<void> {
  const [row] = await replicated(link, () => askOn(link.writer)<{ isolation: string }>(FENCE))
  if (row?.isolation !== ISOLATION) {
    throw new StartError(
      `its transactions are ${row?.isolation}: set default_transaction_isolation of the role to '${ISOLATION}'`,
    )
  }
}

/** Throws when an operator has cancelled the commit's wait for the standby: what it wrote is on this host only. */
async function replicated<Result>(link: Link, work: () => Promise<Result>): Promise<Result> {
  const { warnings } = link
  const result = await work()
  if (link.warnings > warnings) throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
  return result
}

async function end({ readers, writer }: Link): Promise<void> {
  const timeout = ANSWER_TIMEOUT_MS / 1000
  await Promise.allSettled([readers.end({ timeout }), writer.end({ timeout })])
}
