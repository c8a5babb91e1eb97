// The database's end of one connection, and the messages in transit in both directions.

import type { Host } from '../host.ts'
import type { SimulatedProcess } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import type { Answer, Transaction } from './engine.ts'
import type { FromDatabase, Statement } from './messages.ts'

/** A server of the service. */
export interface Server {
  readonly host: Host
  readonly process: SimulatedProcess
}

/** Without the number of the connection. */
type Reply = Answer | { opened: number } | { notice: string }

export class Session {
  transaction: Transaction | undefined
  isFailed = false
  writes = false
  isOver = false
  /** Until then, nothing arrives in either direction. */
  frozenUntil = 0
  /** The wall-clock time of the statement in progress. */
  activeSince: number | undefined
  private readonly sent: (Statement | undefined)[] = []
  private readonly arrived: (Statement | undefined)[] = []
  private readonly replies: FromDatabase[] = []
  private dueAt = 0
  private wake: (() => void) | undefined
  /** How many statements have no response yet, and whether the client is in a transaction. */
  private unanswered = 0
  private isClientBusy = false

  constructor(
    private readonly cluster: Cluster,
    readonly server: Server,
    readonly connection: number,
    readonly statementTimeoutMs: number,
  ) {}

  /** Sends a statement, or without one the end of the connection. */
  send(statement: Statement | undefined): void {
    if (statement) this.checkTurn(statement)
    this.sent.push(statement)
    const arrive = () => {
      this.arrived.push(this.sent.shift())
      this.wake?.()
    }
    this.cluster.later(arrive, Math.max(this.cluster.latency(), this.frozenUntil - this.cluster.now))
  }

  /** Resolves with the next statement, or with `undefined` after this time or at the end of the connection. */
  async next(ms: number | undefined): Promise<Statement | undefined> {
    if (this.arrived.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.wake = resolve
      if (ms !== undefined) this.cluster.later(resolve, ms)
      await promise
    }
    return this.isOver ? undefined : this.arrived.shift()
  }

  reply(reply: Reply): void {
    if (this.isOver) return
    if (!('notice' in reply || 'opened' in reply)) this.unanswered--
    this.deliver({ connection: this.connection, ...reply }, this.cluster.takeDelay(this.transaction !== undefined))
  }

  /** Ends the connection, with an error code of the system. */
  end(ended?: string): void {
    if (this.isOver) return
    this.isOver = true
    this.deliver({ connection: this.connection, ended }, 0)
    this.wake?.()
  }

  private deliver(message: FromDatabase, delayMs: number): void {
    const { server, cluster } = this
    this.replies.push(message)
    this.dueAt = Math.max(this.dueAt, this.frozenUntil, cluster.now + cluster.latency() + delayMs)
    server.host.deliver(server.process, () => this.replies.shift(), this.dueAt)
  }

  /** A call may only use a connection that has no other call. */
  private checkTurn({ text }: Statement): void {
    const begins = text.startsWith('BEGIN')
    if (this.isClientBusy ? begins : this.unanswered > 0) this.cluster.problems.add('two calls share a connection')
    this.unanswered++
    if (begins) this.isClientBusy = true
    if (text === 'COMMIT' || text === 'ROLLBACK') this.isClientBusy = false
  }
}
