// Connections to the host that accepts writes, with a time limit on every wait. When one connection is lost, all are
// closed and the hosts are probed again, because a host that comes back can be a standby by now, or have commits that
// its standby has not received.

import type { StoreOptions } from '../../../domain/store.ts'
import { unavailable } from '../../shared/failures.ts'
import type { PostgresAddress } from '../address.ts'
import { atStart } from '../start-checks.ts'
import { codeOf, isLost, translate } from './errors.ts'
import type { Check } from './host-connections.ts'
import { PrimaryState } from './primary-state.ts'
import { beginWith, type Parameter, type RunQuery, type Session } from './session.ts'
import { inTime } from './time-limits.ts'

type Work<Result> = (session: Session, abort: AbortController) => Promise<Result>

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
    this.within('readers', beginWith(settings), (session) => session.query<Row>(statement, ...parameters))

  /**
   * Commits everything that `work` writes, or nothing. Fails like `read`, with errors translated by `failure`. For
   * `begin` see Session.
   */
  async transaction<Result>(
    work: (session: Session) => Promise<Result>,
    { begin, failure }: { begin?: string; failure?: (error: unknown) => unknown } = {},
  ): Promise<Result> {
    return this.within('writers', begin, work, failure)
  }

  /**
   * For writes that can be lost without harm. Does not wait for the standby, and does not use the writers'
   * connections.
   */
  readonly background: RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    this.within('readers', UNREPLICATED, async (session) => {
      // Fails on a standby and on another timeline.
      await session.query('SELECT 1')
      return session.execute<Row>(statement, ...parameters)
    })

  readonly pool = () => this.state.pool

  close(): Promise<void> {
    return this.state.close()
  }

  private within<Result>(
    pool: 'readers' | 'writers',
    begin: string | undefined,
    work: (session: Session) => Promise<Result>,
    failure?: (error: unknown) => unknown,
  ): Promise<Result> {
    return this.run(pool, (session, abort) => session.transaction(() => work(session), begin, abort), failure)
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
      const start = (session: Session) =>
        writes ? connections.replicated(() => work(session, abort)) : work(session, abort)
      running = (await connections[pool].start(start)).running
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
