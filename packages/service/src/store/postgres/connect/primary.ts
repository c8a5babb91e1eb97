// Connections to the host that accepts writes, with a time limit on every wait. When one connection is lost, all are
// closed and the hosts are probed again, because a host that comes back can be a standby by now, or have commits that
// its standby has not received.

import { StartError } from '../../../domain/start-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs, startTimer } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import { describeHost, type PostgresAddress } from './address.ts'
import { codeOf, isLost, StoreFailure, translate } from './errors.ts'
import { AWAITS_STANDBY, type Check, HostConnections, inTime } from './host-connections.ts'
import { atStart, isSameHost, type WritableHost, writableHost } from './hosts.ts'
import type { Pool } from './pool.ts'
import { beginWith, type Parameter, type RunQuery, type Session } from './session.ts'
import { CONNECT_TIMEOUT_MS, RIVAL_WAIT_MS, withTimeout } from './time-limits.ts'

/** The pause after a failed search for the primary. Calls in between fail immediately with the same error. */
const LOOK_AGAIN_MS = 100
/** How long a call waits for the connections. */
const READY_WAIT_MS = 500
/** After this long without a response, all hosts are probed before the current one is used again. */
export const QUIET_MS = 1_000
const SEARCH_EVERY_MS = 10_000
const UNREPLICATED = beginWith({ synchronous_commit: 'local' })

export class PrimaryConnection {
  /** The connections in use, or the search for a host. */
  private connecting: Promise<HostConnections> | undefined
  private connections: HostConnections | undefined
  /** The latest timeline used. A host on an earlier one lacks its commits and would assign its ids again. */
  private timeline = ''
  /**
   * Whether a host has responded too late for the last search, and must not be ignored. The next search waits for all.
   */
  private isDivided = false
  private searchedAt = 0
  private notOpened = 0

  private constructor(
    private readonly address: PostgresAddress,
    private readonly check: Check,
    private readonly onConnectionFailure: StoreOptions['onConnectionFailure'],
  ) {}

  /**
   * If no host can be used, throws the error of the server, the driver or the system unchanged. Each host that is
   * found later, even if it is the same one, must pass `check`.
   */
  static async open(
    address: PostgresAddress,
    check: Check = async () => {},
    { onConnectionFailure }: Pick<StoreOptions, 'onConnectionFailure'> = {},
  ): Promise<PrimaryConnection> {
    const connection = new PrimaryConnection(address, check, onConnectionFailure)
    try {
      await atStart(() => connection.connected())
    } catch (error) {
      await connection.close()
      throw error
    }
    return connection
  }

  /** Reconnects. Resolves when a new commit, and so every earlier one, has reached the standby. Throws like `open`. */
  async renew(): Promise<void> {
    if (this.connections) this.leave(this.connections)
    await atStart(() => this.connected())
  }

  /**
   * Runs one SELECT on the primary. Fails on a standby, to which a pooler may have moved the connection. Throws
   * `unavailable` within a few seconds if the database fails.
   */
  readonly read: RunQuery = (statement, ...parameters) => this.use((session) => session.query(statement, ...parameters))

  /** Like `read`, with settings of the planner. */
  readonly readWith = <Row extends object>(
    settings: Readonly<Record<string, string>>,
    statement: string,
    ...parameters: Parameter[]
  ): Promise<Row[]> =>
    this.use((session, abort) =>
      session.transaction(() => session.query<Row>(statement, ...parameters), beginWith(settings), abort),
    )

  /**
   * Commits everything that `work` writes, or nothing. Fails like `read`, with errors translated by `failure`. For
   * `begin` see Session.
   */
  async transaction<Result>(
    work: (session: Session) => Promise<Result>,
    { begin, failure }: { begin?: string; failure?: (error: unknown) => unknown } = {},
  ): Promise<Result> {
    const connections = await this.connectedOrUnavailable()
    if (connections.lateWrites > 0) throw unavailable(await this.lateCommit(connections))
    const write = (session: Session, abort: AbortController) =>
      connections.replicated(() => session.transaction(() => work(session), begin, abort))
    return this.run(connections, connections.writers, write, failure)
  }

  /**
   * For writes that can be lost without harm. Does not wait for the standby, and does not use the writers'
   * connections.
   */
  readonly background: RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.use((session, abort) =>
      session.transaction(
        async () => {
          // Fails on a standby and on another timeline.
          await session.query('SELECT 1')
          return session.execute<Row>(statement, ...parameters)
        },
        UNREPLICATED,
        abort,
      ),
    )

  pool() {
    const none = { size: this.address.connections, busy: 0, waiting: 0 }
    return { ...(this.connections?.readers.state ?? none), failures: this.notOpened }
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => {})
    await this.connections?.close()
  }

  private async use<Result>(work: (session: Session, abort: AbortController) => Promise<Result>): Promise<Result> {
    const connections = await this.connectedOrUnavailable()
    return this.run(connections, connections.readers, work)
  }

  /**
   * Translates errors with `failure`, or with `translate` if `work` did not start. If the call fails, `abort` ends the
   * transaction of `work`.
   */
  private async run<Result>(
    connections: HostConnections,
    pool: Pool<Session>,
    work: (session: Session, abort: AbortController) => Promise<Result>,
    failure = translate,
  ): Promise<Result> {
    const abort = new AbortController()
    let running: Promise<Result> | undefined
    try {
      running = (await pool.start((session) => work(session, abort))).running
      const result = await inTime(running)
      connections.answeredAt = monotonicMs()
      return result
    } catch (error) {
      abort.abort(unavailable(error))
      // The connection stays open while its commit waits: a new one would wait as long, and the server limits
      // connections.
      if (running && pool === connections.writers && codeOf(error) === 'NO_ANSWER') this.awaitLate(connections, running)
      else if (running && isLost(error)) this.leave(connections)
      throw running ? failure(error) : translate(error)
    }
  }

  /** Returns why a commit is slow. Closes the connections if the host does not respond at all. */
  private async lateCommit(connections: HostConnections): Promise<StoreFailure> {
    const asking = this.run(connections, connections.readers, ({ query }) => query(AWAITS_STANDBY))
    const [waiting] = await asking.catch(() => [])
    return waiting
      ? new StoreFailure('NOT_REPLICATED', 'a commit waits for the standby')
      : new StoreFailure(
          'SLOW_COMMIT',
          'a commit is slow: the disk is slow, or a migration lost in a failover runs again',
        )
  }

  /** Other writes are refused until this one has ended. If its outcome remains unknown, all connections are closed. */
  private awaitLate(connections: HostConnections, writing: Promise<unknown>): void {
    connections.lateWrites++
    connections.late(writing).then(
      () => connections.lateWrites--,
      (error) => {
        connections.lateWrites--
        if (isLost(error)) this.leave(connections)
      },
    )
  }

  private get hasRivals(): boolean {
    return this.address.hosts.length > 1
  }

  private connectedOrUnavailable(): Promise<HostConnections> {
    return this.connected().catch((error) => {
      throw unavailable(error)
    })
  }

  /** Concurrent calls share one search for the host and its error. */
  private connected(): Promise<HostConnections> {
    if (this.connections && this.hasRivals && monotonicMs() - this.searchedAt > SEARCH_EVERY_MS) this.searchAgain()
    if (this.connecting && !this.isQuiet()) return this.connecting
    const connecting = this.look()
    this.connecting = connecting
    const forget = () => {
      if (this.connecting === connecting) this.connecting = undefined
    }
    connecting.catch(() => startTimer(forget, LOOK_AGAIN_MS))
    return connecting
  }

  /**
   * If a host was frozen and replaced, it resumes as if nothing had happened. A server that uses it constantly
   * notices the freeze; an idle server must probe the other hosts.
   */
  private isQuiet(): boolean {
    const { connections } = this
    if (!connections?.answeredAt || !this.hasRivals) return false
    return monotonicMs() - connections.answeredAt > QUIET_MS
  }

  private async look(): Promise<HostConnections> {
    if (this.connections) this.connections.answeredAt = undefined
    const host = await this.search()
    this.refuseEarlier(host)
    if (this.connections && !isSameHost(this.connections.host, host)) this.leave(this.connections)
    const check = this.timeline === '' ? async () => {} : this.check
    this.connections ??= new HostConnections(this.address, host, check, {
      lost: (lost) => this.leave(lost),
      notOpened: (error) => {
        this.notOpened++
        this.onConnectionFailure?.(error)
      },
    })
    const { connections } = this
    const late = new StoreFailure('NOT_READY', 'the first commit has not ended')
    await withTimeout(READY_WAIT_MS, connections.ready, () => late).catch(async (error) => {
      throw error === late ? await this.lateCommit(connections) : error
    })
    // Another search may have found a later timeline.
    this.refuseEarlier(host)
    connections.answeredAt = monotonicMs()
    this.timeline = host.timeline
    return connections
  }

  /** Leaves the current host if no host can be used because two accept writes. */
  private async search(): Promise<WritableHost> {
    this.searchedAt = monotonicMs()
    const { connections } = this
    try {
      const host = await writableHost(this.address, {
        used: connections?.host,
        rivalWaitMs: this.isDivided ? 2 * CONNECT_TIMEOUT_MS : RIVAL_WAIT_MS,
        onLate: (late) => this.leaveFor(late),
      })
      this.isDivided = false
      return host
    } catch (error) {
      if (error instanceof StartError) {
        this.isDivided = true
        if (connections) this.leave(connections)
      }
      throw error
    }
  }

  /** In the background, because a server that uses its connections constantly would not notice another primary. */
  private searchAgain(): void {
    this.search().then(
      (host) => this.leaveFor(host),
      () => {},
    )
  }

  /** Leaves the current host if another server accepts writes on its timeline or a later one. */
  private leaveFor(host: WritableHost): void {
    const { connections } = this
    if (!connections || host.timeline < connections.host.timeline || isSameHost(host, connections.host)) return
    this.isDivided = true
    this.leave(connections)
  }

  private refuseEarlier(host: WritableHost): void {
    const { timeline } = host
    if (timeline >= this.timeline) return
    const [found, used] = [timeline, this.timeline].map((hexadecimal) => Number.parseInt(hexadecimal, 16))
    throw new StoreFailure(
      'TIMELINE',
      `${describeHost(host)} is on timeline ${found}, but this server has used timeline ${used}, whose commits are missing. Check which host must be the primary. To continue without these commits, restart this server.`,
    )
  }

  private leave(connections: HostConnections): void {
    if (this.connections !== connections) return
    this.connections = undefined
    this.connecting = undefined
    void connections.close()
  }
}
