// Connections to the host that accepts writes, with a time limit on every wait. When one connection is lost, all are
// closed and the hosts are probed again, because a host that comes back can be a standby by now, or have commits that
// its standby has not received.

import type { StoreOptions } from '../../../domain/store.ts'
import { unavailable } from '../../shared/failures.ts'
import type { PostgresAddress } from '../address.ts'
import { codeOf, isLost, translate } from './errors.ts'
import { type Check, type HostConnections, inTime } from './host-connections.ts'
import { atStart } from './hosts.ts'
import { PrimaryState } from './primary-state.ts'
import { beginWith, type Parameter, type RunQuery, type Session } from './session.ts'

type Work<Result> = (session: Session, abort: AbortController, connections: HostConnections) => Promise<Result>

const UNREPLICATED = beginWith({ synchronous_commit: 'local' })

export class PrimaryConnection {
  private constructor(private readonly state: PrimaryState) {}

  /**
   * If no host can be used, throws the error of the server, the driver or the system unchanged. Each host that is
   * found later, even if it is the same one, must pass `check`.
   */
  static async open(
    address: PostgresAddress,
    check: Check = async () => {},
    options: Pick<StoreOptions, 'onConnectionFailure' | 'onPrimaryChange'> = {},
  ): Promise<PrimaryConnection> {
    const state = new PrimaryState(address, check, options)
    const connection = new PrimaryConnection(state)
    try {
      await atStart(() => state.connected())
    } catch (error) {
      await connection.close()
      throw error
    }
    return connection
  }

  /** Reconnects. Resolves when a new commit, and so every earlier one, has reached the standby. Throws like `open`. */
  async renew(): Promise<void> {
    this.state.renew()
    await atStart(() => this.state.connected())
  }

  /**
   * Runs one SELECT on the primary. Fails on a standby, to which a pooler may have moved the connection. Throws
   * `unavailable` within a few seconds if the database fails.
   */
  readonly read: RunQuery = (statement, ...parameters) =>
    this.run('readers', (session) => session.query(statement, ...parameters))

  /** Like `read`, with settings of the planner. */
  readonly readWith = <Row extends object>(
    settings: Readonly<Record<string, string>>,
    statement: string,
    ...parameters: Parameter[]
  ): Promise<Row[]> =>
    this.run('readers', (session, abort) =>
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
    const write: Work<Result> = (session, abort, connections) =>
      connections.replicated(() => session.transaction(() => work(session), begin, abort))
    return this.run('writers', write, failure)
  }

  /**
   * For writes that can be lost without harm. Does not wait for the standby, and does not use the writers'
   * connections.
   */
  readonly background: RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.run('readers', (session, abort) =>
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
    return this.state.pool
  }

  close(): Promise<void> {
    return this.state.close()
  }

  /**
   * Translates errors with `failure`, or with `translate` if `work` did not start. If the call fails, `abort` ends the
   * transaction of `work`.
   */
  private async run<Result>(pool: 'readers' | 'writers', work: Work<Result>, failure = translate): Promise<Result> {
    const connections = await this.state.connected().catch((error) => {
      throw unavailable(error)
    })
    const writes = pool === 'writers'
    if (writes && this.state.isBlocked(connections)) throw unavailable(await connections.whyLate())
    const abort = new AbortController()
    let running: Promise<Result> | undefined
    try {
      running = (await connections[pool].start((session) => work(session, abort, connections))).running
      const result = await inTime(running)
      this.state.answered(connections)
      return result
    } catch (error) {
      abort.abort(unavailable(error))
      // The connection stays open while its commit waits: a new one would wait as long, and the server limits
      // connections.
      if (running && writes && codeOf(error) === 'NO_ANSWER') {
        this.state.blockUntilSettled(connections, running)
      } else if (running && isLost(error)) this.state.discard(connections, 'lost')
      throw running ? failure(error) : translate(error)
    }
  }
}
