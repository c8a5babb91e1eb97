// Connections to the host that accepts writes, with a time limit on every wait. When one connection is lost, all are closed and the
// hosts are probed again for the one that accepts writes: a host that comes back may be a standby by now, or may lack what it had not yet
// sent to its standby.

import { unavailable } from '../shared/failures.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, isLost, StoreFailure, translate, translateAdding } from './errors.ts'
import { atStart, isSame, type WritableHost, writableHost } from './hosts.ts'
import { type Check, closeLink, inTime, type Link, late, openLink, replicated } from './link.ts'
import type { Pool } from './pool.ts'
import type { Parameter, RunQuery, Session } from './session.ts'
import { withTimeout } from './time-limits.ts'

/** The time from a failed search for a host to the next one. Calls in between fail at once with the same error. */
const PAUSE_MS = 100
/** How long a call waits until a link is ready. */
const READY_WAIT_MS = 500
/** After this long without a response, the other hosts are probed, too, before this one is used again. */
const QUIET_MS = 1_000

export class PrimaryConnection {
  /** The link in use, or the search for one. */
  private linking: Promise<Link> | undefined
  private link: Link | undefined
  /** The latest one that was used. An earlier one lacks what was committed on it, and would give its ids again. */
  private timeline = ''

  private constructor(
    private readonly address: PostgresAddress,
    private readonly check: Check,
  ) {}

  /**
   * Throws the error of the server, the driver or the system, unchanged, when no host of the address can be used. Each host that is found
   * later, also the same one again, has to pass the check first.
   */
  static async open(address: PostgresAddress, check: Check = async () => {}): Promise<PrimaryConnection> {
    const connection = new PrimaryConnection(address, check)
    try {
      await atStart(() => connection.linked())
    } catch (error) {
      await connection.close()
      throw error
    }
    return connection
  }

  /** Resolves when a commit on new connections, behind all that were made before, has reached the standby. Throws as `open` does. */
  async renew(): Promise<void> {
    if (this.link) this.leave(this.link)
    await atStart(() => this.linked())
  }

  /**
   * Runs one SELECT on a host that accepts writes. Fails on a standby, to which a pooler may have moved the connection. Throws
   * `unavailable` within a few seconds when the database fails.
   */
  readonly read: RunQuery = (statement, ...parameters) => this.use((session) => session.query(statement, ...parameters))

  /**
   * Runs one SELECT that adds pets. Resolves when they are committed. Fails as `read` does; when they may have been committed, the error
   * says so.
   */
  readonly add: RunQuery = (statement, ...parameters) =>
    this.write((session) => session.query(statement, ...parameters), translateAdding)

  /** Commits everything that `work` writes, or nothing. Fails as `read` does, or as `failure` says. `begin`: see Session. */
  transaction<Result>(
    work: (session: Session) => Promise<Result>,
    { begin, failure = translate }: { begin?: string; failure?: (error: unknown) => unknown } = {},
  ): Promise<Result> {
    return this.write((session) => session.transaction(() => work(session), begin), failure)
  }

  /** A write that may be lost without harm. It does not wait for the standby, and pets do not wait for it. */
  readonly background: RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.use((session) =>
      session.transaction(async () => {
        await session.query("SELECT set_config('synchronous_commit', 'local', true)")
        return session.execute<Row>(statement, ...parameters)
      }),
    )

  pool() {
    return this.link?.readers.state ?? { size: this.address.connections, busy: 0, waiting: 0 }
  }

  async close(): Promise<void> {
    await this.linking?.catch(() => {})
    if (this.link) await closeLink(this.link)
  }

  private async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const link = await this.linkedOrUnavailable()
    return this.run(link, link.readers, work, translate)
  }

  private async write<Result>(
    work: (session: Session) => Promise<Result>,
    failure: (error: unknown) => unknown,
  ): Promise<Result> {
    const link = await this.linkedOrUnavailable()
    if (link.stuck) {
      // Closes the connections when the host does not respond at all.
      await this.read('SELECT 1')
      throw unavailable(new StoreFailure('NOT_REPLICATED', 'an earlier commit still waits for the standby'))
    }
    return this.run(link, link.writers, (session) => replicated(link, () => work(session)), failure)
  }

  /** Fails as `failure` says once something was sent. */
  private async run<Result>(
    link: Link,
    pool: Pool<Session>,
    work: (session: Session) => Promise<Result>,
    failure: (error: unknown) => unknown,
  ): Promise<Result> {
    let running: Promise<Result> | undefined
    try {
      running = (await pool.start(work)).running
      const result = await inTime(running)
      link.answeredAt = performance.now()
      return result
    } catch (error) {
      // The connection stays open while its commit waits: a new one would wait as long, and the server's connections are limited.
      if (running && pool === link.writers && codeOf(error) === 'NO_ANSWER') this.awaitStuck(link, running)
      else if (isLost(error)) this.leave(link)
      throw running ? failure(error) : translate(error)
    }
  }

  private awaitStuck(link: Link, writing: Promise<unknown>): void {
    link.stuck = true
    late(link, writing).then(
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
   * frozen. A server that has not used it for a while has to probe the other hosts.
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
    const host = await writableHost(this.address, this.link?.host)
    this.refuseEarlier(host)
    if (this.link && !isSame(this.link.host, host)) this.leave(this.link)
    const check = this.timeline === '' ? async () => {} : this.check
    this.link ??= openLink(this.address, host, check, (lost) => this.leave(lost))
    const { link } = this
    await withTimeout(
      READY_WAIT_MS,
      link.ready,
      () => new StoreFailure('NOT_REPLICATED', 'a commit waits for the standby, or a lost migration is running again'),
    )
    // Another search may have found a later one meanwhile.
    this.refuseEarlier(host)
    link.answeredAt = performance.now()
    this.timeline = host.timeline
    return link
  }

  private refuseEarlier({ host, port, timeline }: WritableHost): void {
    if (timeline >= this.timeline) return
    const [found, used] = [timeline, this.timeline].map((hexadecimal) => Number.parseInt(hexadecimal, 16))
    throw new StoreFailure(
      'TIMELINE',
      `${host}:${port} is on timeline ${found}, and this server has used timeline ${used}: what was committed on that one is missing. Check which host must be the primary; to go on without it, restart this server.`,
    )
  }

  private leave(link: Link): void {
    if (this.link !== link) return
    this.link = undefined
    this.linking = undefined
    void closeLink(link)
  }
}
