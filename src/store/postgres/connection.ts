// The way to the database: connections to the host that takes writes, and a bound on every wait. When one of them is
// lost all are given up, and the host is looked for anew: one that came back may have come back as a standby, or without
// what it had not yet sent to its own.

import { StartError } from '../../domain/errors.ts'
import { unavailable } from '../shared/failures.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, isLost, StoreFailure, translate, translateAdding, translateChanging } from './errors.ts'
import { ISOLATION, isSame, openPool, type Sql, type WritableHost, writableHost } from './hosts.ts'
import { Slots } from './semaphore.ts'
import { withTimeout } from './timeout.ts'

/** The server ends a statement that takes longer; the commit, which may wait for a standby, is not part of that. */
const STATEMENT_TIMEOUT_MS = 2_000
/** A connection that has said nothing for so long is taken for dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500
const QUEUE_TIMEOUT_MS = 1_000
/** Between two looks for a host; who asks in between is told at once that there was none. */
const PAUSE_MS = 100
/** How long who asks waits for the first commit on a host. */
const FENCE_WAIT_MS = 500
/** A host that has answered nothing for so long is compared with the others before it is asked again. */
const QUIET_MS = 1_000
/** How long a start waits for a server that is itself starting, or for its standby. */
const START_WAIT_MS = 10_000

/** Writes to the log, so that the commit has to wait for the synchronous standby. Nothing else comes of it. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** As the tables' own triggers have it for what is written to them. */
const FENCE = `SELECT current_setting('transaction_isolation') AS isolation, ${LOG_MESSAGE},
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`

export type Parameter = string | number | bigint | boolean | null

/** Resolves with the rows of one statement, which each connection prepares once. */
export type Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

interface Link {
  readonly host: WritableHost
  readonly readers: Sql
  /** One connection, for what has to be replicated: no list stands before it in a line, nor behind a commit that waits. */
  readonly writer: Sql
  /** Resolves when a commit has gone through: what this host shows has then reached its standby, too. */
  fenced: Promise<void>
  /** How often somebody has ended the wait of a commit for the standby. */
  warnings: number
  /** A commit of the writer waits for the standby, and nobody waits for it any more. */
  stuck: boolean
  /** When the host last answered; `undefined` until it has been chosen. */
  answeredAt: number | undefined
}

export class Connection {
  /** The link in use, or the look for one. */
  private linking: Promise<Link> | undefined
  private link: Link | undefined
  private readonly slots: Slots

  private constructor(private readonly address: PostgresAddress) {
    this.slots = new Slots(address.connections, QUEUE_TIMEOUT_MS, () => unavailable(new Error('no connection is free')))
  }

  /** Throws what the server, the driver or the system said, as it is, when no host of the address can be used. */
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
   * One SELECT, on a host that takes writes: a standby, to which a pooler may have moved the connection, answers nothing. A
   * failure of the database is `unavailable`, within some seconds.
   */
  readonly read: Ask = (statement, ...parameters) =>
    this.use(({ readers }) => askOn(readers)(onPrimary(statement), ...parameters))

  /** One statement that a standby refuses, such as an INSERT. Resolves when it is committed; fails as `read` does. */
  readonly write: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translate)

  /** As `write`; a failure after which nobody can know whether it was committed says so. */
  readonly add: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translateAdding)

  /** As `add`, for orders. */
  readonly change: Ask = (statement, ...parameters) =>
    this.written(({ writer }) => askOn(writer)(statement, ...parameters), translateChanging)

  /** All that `work` writes is committed together, or none of it. */
  transaction<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.written(({ writer }) => inTransaction(writer, work), translate)
  }

  /** A `write` whose loss harms nobody: it waits for no standby, and no pet waits for it. */
  readonly background: Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.use(({ readers }) =>
      inTransaction(readers, async (ask) => {
        await ask("SET LOCAL synchronous_commit = 'local'")
        return ask<Row>(statement, ...parameters)
      }),
    )

  pool() {
    return this.slots.state
  }

  async close(): Promise<void> {
    await this.linking?.catch(() => {})
    if (this.link) await end(this.link)
  }

  private async use<Result>(work: (link: Link) => Promise<Result>): Promise<Result> {
    const link = await this.linkedOrUnavailable()
    return this.slots.use(async () => {
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
      // A host that answers nothing at all is left.
      await this.read('SELECT 1')
      throw unavailable(new StoreFailure('NOT_REPLICATED', 'an earlier commit still waits for the standby'))
    }
    const writing = replicated(link, () => work(link))
    try {
      return await this.answered(link, writing)
    } catch (error) {
      // Its connection is kept: another one would wait as long, and the server has only so many.
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

  /** Everyone who asks meanwhile shares one look for the host, and its failure. */
  private linked(): Promise<Link> {
    if (this.linking && !this.isQuiet()) return this.linking
    const linking = this.look()
    this.linking = linking
    linking.catch(() => setTimeout(() => this.forget(linking), PAUSE_MS))
    return linking
  }

  /**
   * A host that was frozen, and has been replaced meanwhile, goes on where it was. Who asks it all the time has noticed by
   * then; who does not looks whether there is a newer one.
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
      // The one warning there is, but for that of a collation's version as a connection is opened.
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

  /** What is still asked on it comes to its end first. */
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
 * A standby has no place in the log where it writes, and says so by an error. It is asked once and first, also where no row
 * is found; PostgreSQL keeps the order of a subquery.
 */
function onPrimary(select: string): string {
  return `SELECT * FROM (${select}) AS answer WHERE (SELECT pg_current_wal_lsn()) IS NOT NULL`
}

/**
 * What a host shows when it is reached for the first time, or again, may be on its disk alone: committed by who did not
 * live to see it replicated. A commit that comes later in the log reaches the standby behind all that.
 */
async function fence(link: Link): Promise<void> {
  const [row] = await replicated(link, () => askOn(link.writer)<{ isolation: string }>(FENCE))
  if (row?.isolation !== ISOLATION) {
    throw new StartError(
      `its transactions are ${row?.isolation}: set default_transaction_isolation of the role to '${ISOLATION}'`,
    )
  }
}

/** Throws when somebody has ended a commit's wait for the standby: what it wrote is on this host, and lost with it. */
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
