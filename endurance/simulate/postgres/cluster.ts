// Two simulated database hosts, of which one is the primary and the other its synchronous standby.

import type { Scheduler, SimulatedProcess } from '../scheduler.ts'
import type { Engine, Saved } from './engine.ts'
import { CONNECTIONS, Instance } from './instance.ts'
import type { ToDatabase } from './messages.ts'
import { type Server, Session } from './session.ts'

const LATENCY_MS_MAX = 0.5
const REPLICATION_MS_MAX = 2

export class Cluster {
  readonly address = `postgres://petstore@one,two/petstore?sslmode=disable&connections=${CONNECTIONS}`
  /** The problems of the servers. */
  readonly problems = new Set<string>()
  readonly instances: readonly [Instance, Instance]
  primary: Instance
  /** Commits do not wait if there is no synchronous standby. */
  standby: 'connected' | 'away' | 'none' = 'connected'
  /** When only the standby was away. Reads must work until `cancelledAt`. */
  readonly awayWindows: { readonly from: number; readonly to: number; readonly cancelledAt: number }[] = []
  /** The delay of the next response. */
  delayMs = 0
  /** Whether the delay is for a response within a transaction. */
  delaysTransaction = false
  private readonly sessions = new Map<SimulatedProcess, Map<number, Session>>()
  private readonly process: SimulatedProcess
  private timelines = 1
  /** What the standby had when it went away. */
  private replica: Saved | undefined

  constructor(
    private readonly scheduler: Scheduler,
    readonly random: () => number,
    engines: readonly [Engine, Engine],
  ) {
    this.process = scheduler.process(90)
    const [one, two] = engines
    this.instances = [new Instance(this, 'one', one, '00000001'), new Instance(this, 'two', two, '')]
    this.primary = this.instances[0]
  }

  get now(): number {
    return this.scheduler.now
  }

  wallMs(): number {
    return this.scheduler.wallMs()
  }

  later(act: () => void, ms: number): void {
    this.process.startTimer(act, ms)
  }

  pause(ms = this.latency()): Promise<void> {
    return new Promise((resolve) => this.later(resolve, ms))
  }

  latency(): number {
    return this.random() * LATENCY_MS_MAX
  }

  takeDelay(isInTransaction: boolean): number {
    const { delayMs } = this
    if (this.delaysTransaction && !isInTransaction) return 0
    this.delayMs = 0
    return delayMs
  }

  /** Ends failures that wait for a commit or a response, and frozen connections. */
  calm(): void {
    this.delayMs = 0
    for (const instance of this.instances) {
      instance.losesCommit = undefined
      for (const session of instance.sessions) if (session.frozenUntil > this.now) session.end()
    }
  }

  /** Receives what the drivers of a server send. */
  attach(server: Server): void {
    const sessions = new Map<number, Session>()
    this.sessions.set(server.process, sessions)
    server.host.onSent = (message) => this.receive(server, sessions, message as ToDatabase)
  }

  /** The server was killed, so its connections end. */
  detach({ process }: Server): void {
    for (const session of this.sessions.get(process)?.values() ?? []) session.send(undefined)
  }

  private receive(server: Server, sessions: Map<number, Session>, message: ToDatabase): void {
    const { connection } = message
    if ('open' in message) {
      const { host, statementTimeoutMs } = message.open
      const instance = this.instances.find(({ name }) => name === host) as Instance
      const session = new Session(this, server, connection, statementTimeoutMs)
      sessions.set(connection, session)
      instance
        .serve(session)
        .catch((error) => this.problems.add(Bun.inspect(error)))
        .finally(() => sessions.delete(connection))
    } else sessions.get(connection)?.send('ends' in message ? undefined : message)
  }

  isSynchronous(instance: Instance): boolean {
    return instance === this.primary ? this.standby !== 'none' : instance.hasStandby
  }

  /** Confirms the commits of the primary in their order, while the standby is connected. */
  async replicate(instance: Instance): Promise<void> {
    await this.pause(this.random() * REPLICATION_MS_MAX)
    await instance.thawed()
    if (instance !== this.primary || this.standby === 'away') return
    for (const { settle } of instance.pending.splice(0)) settle('replicated')
  }

  loseStandby(): void {
    this.standby = 'away'
    this.replica = this.primary.engine.save()
  }

  regainStandby(): void {
    this.standby = 'connected'
    this.replica = undefined
    void this.replicate(this.primary)
  }

  /** An operator ends the waits for the standby. The commits become visible. */
  cancelWaits(): void {
    for (const { settle } of this.primary.pending.splice(0)) settle('cancelled')
  }

  /** Promotes the standby, with what it has received. A connected one can have commits that it has not confirmed. */
  promote(): Instance {
    const old = this.primary
    const next = this.instances.find((instance) => instance !== old) as Instance
    const received = this.replica ? [] : old.pending.slice(0, Math.floor(this.random() * (old.pending.length + 1)))
    next.stop()
    next.engine.restore(this.replica ?? old.engine.save())
    next.timeline = (++this.timelines).toString(16).padStart(8, '0')
    next.pending = received
    next.start()
    this.primary = next
    this.standby = 'none'
    this.replica = undefined
    return old
  }

  /** The old primary loses its own commits, and follows the new one. */
  rejoin(old: Instance): void {
    old.stop()
    old.pending = []
    old.hasStandby = true
    old.timeline = ''
    old.start()
    this.regainStandby()
  }
}
