// A simulated database host: its sessions, locks, time limits and failures, and commits that wait for the standby.

import { TRANSACTION_IDLE_MS } from '../../../packages/service/src/store/postgres/connect/time-limits.ts'
import { TAKE_WRITE_LOCK } from '../../../packages/service/src/store/postgres/schema/schema.ts'
import type { Cluster } from './cluster.ts'
import type { Answer, Engine, Transaction } from './engine.ts'
import type { Failed, Statement } from './messages.ts'
import type { Session } from './session.ts'

const WRITES = /\b(INSERT|UPDATE|DELETE|pg_logical_emit_message|petstore_skip_ids)\b/
const LOCKS = {
  writes: (text: string) => text.includes(TAKE_WRITE_LOCK) || text.includes('petstore_skip_ids'),
  keys: (text: string) => /LOCK TABLE keys|UPDATE keys|INSERT INTO keys/.test(text),
}
type LockName = keyof typeof LOCKS
/** The setting of the servers, and how many connections for writes they open in addition: docs/postgresql.md. */
export const CONNECTIONS = 4
const WRITERS = 2
/** A commit is late after 2.5 s. A change that began before can last as long. */
const LATE_MS = 5_500

interface Lock {
  holder?: Session | undefined
  readonly waiting: { readonly session: Session; readonly taken: (isTaken: boolean) => void }[]
}

/** A commit that is on this host's disk, but not yet on the standby's. */
export interface Pending {
  readonly transaction: Transaction
  readonly session: Session
  readonly since: number
  readonly settle: (outcome: 'replicated' | 'cancelled' | 'stopped') => void
}

export class Instance {
  state: 'up' | 'starting' | 'down' = 'up'
  isReadOnly = false
  /** Whether its commits wait for a standby when it is not the primary any more. */
  hasStandby = true
  /** Why it rejects new connections. */
  refusal: Failed | undefined
  frozenUntil = 0
  /** What happens to the connection of the next commit. */
  losesCommit: 'before' | 'after' | undefined
  pending: Pending[] = []
  readonly sessions = new Set<Session>()
  private readonly processId: number
  private locks: Record<LockName, Lock> = { writes: { waiting: [] }, keys: { waiting: [] } }

  constructor(
    private readonly cluster: Cluster,
    readonly name: string,
    readonly engine: Engine,
    /** Empty for a standby. */
    public timeline: string,
  ) {
    engine.restore(engine.empty)
    this.processId = engine.processId
    this.start()
  }

  /** Starts, as a standby or as a primary. Commits that waited when it stopped are visible afterwards. */
  start(): void {
    this.engine.set('simulated.timeline', this.timeline)
    this.engine.set('simulated.system', '7')
    this.engine.set('simulated.started', `${this.cluster.wallMs()}.${this.name.length}`)
    for (const { transaction } of this.pending.splice(0)) this.engine.commit(transaction, this.cluster.wallMs())
    this.state = 'up'
  }

  /** Ends all connections. */
  stop(): void {
    this.state = 'down'
    for (const session of this.sessions) session.end()
    for (const { settle } of this.pending) settle('stopped')
    for (const { waiting } of Object.values(this.locks)) for (const { taken } of waiting) taken(false)
    this.sessions.clear()
    this.locks = { writes: { waiting: [] }, keys: { waiting: [] } }
  }

  async serve(session: Session): Promise<void> {
    await this.cluster.pause()
    await this.thawed()
    if (session.isOver) return
    const refusal = this.state === 'starting' ? failed('57P03') : this.refusal
    if (this.state === 'down') return session.end('ECONNREFUSED')
    if (refusal) {
      session.reply({ failed: refusal })
      return session.end()
    }
    this.sessions.add(session)
    this.checkConnections(session)
    session.reply({ opened: this.processId })
    while (!session.isOver) {
      const statement = await session.next(session.transaction ? TRANSACTION_IDLE_MS : undefined)
      if (statement === undefined) break
      await this.cluster.pause()
      await this.thawed()
      if (session.isOver) break
      session.activeSince = this.cluster.wallMs()
      const answer = await this.execute(session, statement)
      session.activeSince = undefined
      if (answer) session.reply(answer)
    }
    session.end()
    if (!this.sessions.delete(session)) return
    if (session.transaction) this.engine.rollBack(session.transaction)
    this.release(session)
  }

  /** Without connections that look for the primary. They have another time limit. */
  private checkConnections({ server, statementTimeoutMs }: Session): void {
    const own = [...this.sessions].filter(
      (one) => one.server === server && one.statementTimeoutMs === statementTimeoutMs,
    )
    if (own.length > CONNECTIONS + WRITERS) this.cluster.problems.add(`a server has ${own.length} connections`)
  }

  /** Resolves with `undefined` if the session has ended. */
  private async execute(session: Session, statement: Statement): Promise<Answer | undefined> {
    const { text } = statement
    if (text === 'COMMIT' || text === 'ROLLBACK') return this.finish(session, text)
    if (session.isFailed) return { failed: failed('25P02') }
    const begins = text.startsWith('BEGIN')
    const isAlone = !session.transaction && !begins && WRITES.test(text)
    if (begins || isAlone) session.transaction ??= { statements: [], isReadOnly: this.isReadOnly }
    for (const name of Object.keys(LOCKS) as LockName[]) {
      if (!LOCKS[name](text) || (await this.take(name, session))) continue
      session.isFailed = session.transaction !== undefined
      return session.isOver ? undefined : { failed: failed('57014') }
    }
    const at = this.cluster.wallMs()
    if (isAlone) this.engine.run(session.transaction, { text: 'BEGIN', values: [] }, at)
    if (!session.transaction) this.engine.set('default_transaction_read_only', this.isReadOnly ? 'on' : 'off')
    if (text.includes('statement_timeout')) this.engine.set('statement_timeout', `${session.statementTimeoutMs}`)
    if (text.includes('pg_stat_activity')) this.engine.set('simulated.activity', this.activity())
    const answer = this.engine.run(session.transaction, statement, at)
    session.writes ||= WRITES.test(text)
    session.isFailed = 'failed' in answer && session.transaction !== undefined
    if (!isAlone) return answer
    const committed = await this.finish(session, session.isFailed ? 'ROLLBACK' : 'COMMIT')
    return committed && 'failed' in committed ? committed : answer
  }

  private async finish(session: Session, command: 'COMMIT' | 'ROLLBACK'): Promise<Answer | undefined> {
    const { transaction, writes } = session
    const commits = command === 'COMMIT' && !session.isFailed && transaction !== undefined
    const loses = commits && writes ? this.losesCommit : undefined
    let answer: Answer = { rows: { command: 'ROLLBACK', fields: [], rows: [] } }
    if (loses) this.losesCommit = undefined
    if (loses === 'before') session.end()
    if (!commits || loses === 'before') {
      if (transaction) this.engine.rollBack(transaction)
    } else {
      if (writes && (await this.replicated(session, transaction)) === 'stopped') return undefined
      if (loses === 'after') session.end()
      answer = this.engine.commit(transaction, this.cluster.wallMs())
    }
    session.transaction = undefined
    session.isFailed = session.writes = false
    this.release(session)
    return answer
  }

  /** Resolves when the commit can become visible. */
  private async replicated(session: Session, transaction: Transaction) {
    const answer = this.engine.run(transaction, { text: 'SHOW synchronous_commit', values: [] }, this.cluster.wallMs())
    const level = 'rows' in answer ? answer.rows.rows[0]?.[0] : ''
    if (level === 'off' || level === 'local' || !this.cluster.isSynchronous(this)) return 'replicated'
    const { promise, resolve } = Promise.withResolvers<'replicated' | 'cancelled' | 'stopped'>()
    this.pending.push({ transaction, session, since: this.cluster.now, settle: resolve })
    void this.cluster.replicate(this)
    const outcome = await promise
    if (outcome === 'cancelled') session.reply({ notice: 'SyncRepWaitForLSN' })
    return outcome
  }

  private take(name: LockName, session: Session): Promise<boolean> {
    const isLate = ({ since, session: other }: Pending) =>
      name === 'writes' && !other.isOver && other.server === session.server && this.cluster.now - since > LATE_MS
    if (this.pending.some(isLate)) this.cluster.problems.add('a change begins while a commit of its server is late')
    const lock = this.locks[name]
    lock.holder ??= session
    if (lock.holder === session) return Promise.resolve(true)
    const { promise, resolve: taken } = Promise.withResolvers<boolean>()
    const one = { session, taken }
    lock.waiting.push(one)
    const cancel = () => {
      const place = lock.waiting.indexOf(one)
      if (place >= 0) lock.waiting.splice(place, 1)
      taken(false)
    }
    if (session.statementTimeoutMs > 0)
      this.cluster.later(() => lock.holder === session || cancel(), session.statementTimeoutMs)
    return promise
  }

  private release(session: Session): void {
    for (const lock of Object.values(this.locks)) {
      if (lock.holder !== session) continue
      const next = lock.waiting.shift()
      lock.holder = next?.session
      next?.taken(true)
    }
  }

  async thawed(): Promise<void> {
    while (this.frozenUntil > this.cluster.now) await this.cluster.pause(this.frozenUntil - this.cluster.now)
  }

  private activity(): string {
    return JSON.stringify(
      Array.from(this.sessions, (session, pid) => ({
        pid: pid + 1,
        application_name: 'petstore',
        state: session.activeSince === undefined ? 'idle' : 'active',
        query_start: new Date(session.activeSince ?? 0).toISOString(),
        wait_event: this.pending.some((one) => one.session === session) ? 'SyncRep' : null,
      })),
    )
  }
}

export function failed(code: string): Failed {
  return { message: `simulated ${code}`, code, severity: 'ERROR' }
}
