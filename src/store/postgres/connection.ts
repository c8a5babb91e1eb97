// The way to the database: connections to the host that takes writes, and a bound on every wait. When one of them is
// lost all are given up, and the host is looked for anew: one that came back may have come back as a standby.

import type { PostgresAddress } from '../../address.ts'
import { isLost, StoreFailure, translate, translateAdding, unavailable } from './errors.ts'
import { openPool, type Sql, writableHost } from './hosts.ts'
import { Slots } from './slots.ts'

/** The server ends a statement that takes longer; the commit, which may wait for a standby, is not part of that. */
const STATEMENT_TIMEOUT_MS = 2_000
/** A connection that has said nothing for so long is taken for dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500
const QUEUE_TIMEOUT_MS = 1_000
/** Between two looks for a host; who asks in between is told at once that there was none. */
const PAUSE_MS = 100

export type Parameter = string | number | bigint | boolean | null

/** Resolves with the rows of one statement, which each connection prepares once. */
export type Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

interface Link {
  readonly readers: Sql
  /** A connection of its own for adding: no list stands before it in a line. */
  readonly writer: Sql
  /** How often the server has warned the writer. */
  warnings: number
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
    await connection.linked()
    return connection
  }

  /** Resolves when the statement is committed. A failure of the database is `unavailable`, within some seconds. */
  readonly ask: Ask = (statement, ...parameters) =>
    this.use(({ readers }) => askOn(readers)(statement, ...parameters), translate)

  /** All that `work` asks for is committed together, or none of it. */
  transaction<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.use(
      ({ readers }) => readers.begin((sql) => work(askOn(sql as unknown as Sql))) as Promise<Result>,
      translate,
    )
  }

  /** As `ask`, on the connection that adds; to be asked one after the other. */
  readonly add: Ask = async <Row extends object>(statement: string, ...parameters: Parameter[]) => {
    const link = await this.linkedOrUnavailable()
    const { warnings } = link
    return this.bounded(link, translateAdding, async () => {
      const rows = await askOn(link.writer)<Row>(statement, ...parameters)
      // The one warning there is: somebody ended the wait for the synchronous standby. The animals are committed on
      // this host, and lost with it.
      if (link.warnings > warnings) throw new StoreFailure('NOT_REPLICATED', 'the commit has not reached the standby')
      return rows
    })
  }

  pool() {
    return this.slots.state
  }

  async close(): Promise<void> {
    await this.linking?.then(end, () => {})
  }

  private async use<Result>(work: (link: Link) => Promise<Result>, failure: (error: unknown) => unknown) {
    const link = await this.linkedOrUnavailable()
    return this.slots.use(() => this.bounded(link, failure, () => work(link)))
  }

  private async bounded<Result>(link: Link, failure: (error: unknown) => unknown, work: () => Promise<Result>) {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(new StoreFailure('NO_ANSWER', 'the database did not answer in time'))
    }, ANSWER_TIMEOUT_MS)
    try {
      return await Promise.race([work(), late])
    } catch (error) {
      if (isLost(error)) this.leave(link)
      throw failure(error)
    } finally {
      clearTimeout(timer)
    }
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
    if (this.linking) return this.linking
    const linking = this.connect()
    this.linking = linking
    linking.catch(() => setTimeout(() => this.forget(linking), PAUSE_MS))
    return linking
  }

  private forget(linking: Promise<Link>): void {
    if (this.linking === linking) this.linking = undefined
  }

  private async connect(): Promise<Link> {
    const { address } = this
    const host = await writableHost(address)
    const options = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, onclose: () => this.leave(link) }
    const onnotice = ({ severity }: { severity?: string }) => {
      if (severity === 'WARNING') link.warnings++
    }
    const link: Link = {
      readers: openPool(address, host, { ...options, max: address.connections }),
      writer: openPool(address, host, { ...options, max: 1, onnotice }),
      warnings: 0,
    }
    this.link = link
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

async function end({ readers, writer }: Link): Promise<void> {
  const timeout = ANSWER_TIMEOUT_MS / 1000
  await Promise.allSettled([readers.end({ timeout }), writer.end({ timeout })])
}
