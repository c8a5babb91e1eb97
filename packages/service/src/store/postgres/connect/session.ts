// One connection, which answers in the order of what was sent; what runs on another host than the one that was found fails.
//
// A transaction waits neither for BEGIN before its first statement, nor for its last one before COMMIT. That saves two of four round
// trips while others wait for its lock.

import type { Client, Parameter } from './client.ts'
import { StoreFailure } from './errors.ts'
import { TRANSACTION_IDLE_MS, withTimeout } from './time-limits.ts'

export type { Parameter } from './client.ts'

/** Resolves with the rows of one statement. */
export type RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

/**
 * The settings that our statements depend on. Each session sets them, so other values for the server, the database or the role do not matter. Behind
 * a pooler each transaction may meet another session, so there a start refuses other values (server-check.ts).
 */
export const SETTINGS = {
  // Each statement sees everything that was committed before it started. The lock for adding pets depends on that.
  default_transaction_isolation: 'read committed',
  // Otherwise NULL in an array is a text of four letters.
  array_nulls: 'on',
  // Otherwise the server may not report a cancelled wait for the standby.
  client_min_messages: 'notice',
  // Otherwise GIN gives a random part of the rows that a search finds.
  gin_fuzzy_search_limit: '0',
} as const

/**
 * Begins a transaction. Its settings end with it, also behind a pooler; `also` are further expressions. If the client stops in it, the
 * database ends it, because it may hold a lock.
 */
export function beginWith(
  settings: Readonly<Record<string, string | number>> = {},
  also: readonly string[] = [],
): string {
  const limited = { idle_in_transaction_session_timeout: TRANSACTION_IDLE_MS, ...settings }
  // One column is quicker than one for each.
  return `BEGIN; SELECT concat(${[...set(limited, true), ...also]})`
}

function set(settings: Readonly<Record<string, string | number>>, forTransaction: boolean): string[] {
  return Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', ${forTransaction})`)
}

/** Statements that a connection keeps prepared. Which ones there are follows from requests, and each takes the server about 150 kB. */
const PREPARED_MAX = 300

export class Session {
  /** Opened for the first statement. */
  private opening: Promise<Client> | undefined
  /** Resolves when what was sent last is answered. */
  private answered: Promise<unknown> = Promise.resolve()
  /** The last statement of the open transaction, if it goes with COMMIT. */
  private closing: Promise<unknown> | undefined
  /** Resolves when no transaction is open. */
  private transacted: Promise<unknown> = Promise.resolve()
  /** The prepared statements and their names, the most recently used ones last. */
  private readonly prepared = new Map<string, string>()
  private named = 0
  /** Whether the database itself is at the other end; unknown before the first statement. */
  private direct: boolean | undefined

  /** PostgreSQL evaluates `condition` before a statement of `query`, and does not run it when that fails. */
  constructor(
    private readonly connect: () => Promise<Client>,
    private readonly condition = 'true',
  ) {}

  /** What the first statement does by itself. */
  async open(): Promise<void> {
    this.direct ??= await this.isDirect()
  }

  /** Runs one SELECT, or one change with RETURNING. */
  readonly query: RunQuery = (statement, ...parameters) =>
    this.execute(
      `WITH answer AS NOT MATERIALIZED (${statement}) SELECT * FROM answer WHERE ${this.condition}`,
      ...parameters,
    )

  /** Runs any statement, without the condition. */
  readonly execute: RunQuery = async <Row extends object>(statement: string, ...parameters: Parameter[]) => {
    await this.open()
    return (await this.run<Row>(statement, parameters)).rows
  }

  /**
   * Runs any statement as the last one of the transaction: when it fails, nothing is committed, and the transaction fails as it does.
   * Its rows are not given.
   */
  readonly finish = (statement: string, ...parameters: Parameter[]): void => {
    this.closing = this.run(statement, parameters)
    this.closing.catch(() => {})
  }

  /** Commits everything that `work` writes, or nothing. `begin`: statements without parameters that begin the transaction. */
  async transaction<Result>(work: () => Promise<Result>, begin = beginWith()): Promise<Result> {
    const done = this.transact(work, begin)
    this.transacted = done.catch(() => {})
    return done
  }

  /** Ends the connection after the statement or the transaction in progress, and in any case after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    const done = Promise.allSettled([this.transacted, this.answered])
    await withTimeout(timeoutMs, done, () => new Error('it takes too long')).catch(() => {})
    const client = await this.opening?.catch(() => undefined)
    await client?.close(timeoutMs)
  }

  private async transact<Result>(work: () => Promise<Result>, begin: string): Promise<Result> {
    this.closing = undefined
    // Before it begins: what its rollback would undo, and some settings that a transaction has from its beginning, are set here.
    await this.open()
    // Where BEGIN takes the lock and fails, what follows fails, too, and changes nothing.
    const begun = this.run(begin)
    const [beginning, worked] = await Promise.allSettled([begun, work()])
    if (beginning.status === 'rejected' || worked.status === 'rejected') {
      await this.run('ROLLBACK').catch(() => {})
      throw beginning.status === 'rejected' ? beginning.reason : (worked as PromiseRejectedResult).reason
    }
    const committed = this.run('COMMIT')
    const [finished] = await Promise.allSettled([this.closing, committed])
    if (finished.status === 'rejected') throw finished.reason
    const { command } = await committed
    // After an error within the transaction, COMMIT succeeds as a ROLLBACK.
    if (command !== 'COMMIT') throw new StoreFailure('NOT_COMMITTED', `COMMIT was answered with ${command}`)
    return worked.value
  }

  /**
   * A pooler greets its clients with a number of its own. Behind it each transaction may meet another connection of the database, so
   * statements there have no names: the driver prepares each as it is sent. They set nothing for the session, either.
   */
  private async isDirect(): Promise<boolean> {
    const isDirect = `pg_backend_pid() = ${(await this.connected()).processID}`
    const { rows } = await this.run<{ direct: boolean }>(
      `SELECT ${isDirect} AS direct, CASE WHEN ${isDirect} THEN concat(${set(SETTINGS, false)}) END`,
    )
    return rows[0]?.direct ?? false
  }

  private run<Row extends object>(statement: string, parameters: Parameter[] = []) {
    const answer = this.answer<Row>(statement, parameters)
    this.answered = answer.catch(() => {})
    return answer
  }

  private async answer<Row extends object>(statement: string, parameters: Parameter[]) {
    const client = await this.connected()
    return client.run<Row>(statement, parameters, this.direct ? this.nameOf(client, statement, parameters) : undefined)
  }

  /** None for a statement without parameters: it may be several. */
  private nameOf(client: Client, statement: string, parameters: readonly Parameter[]): string | undefined {
    if (parameters.length === 0) return undefined
    const { prepared } = this
    const name = prepared.get(statement) ?? `s${this.named++}`
    prepared.delete(statement)
    prepared.set(statement, name)
    const oldest = prepared.entries().next().value
    if (prepared.size > PREPARED_MAX && oldest) {
      client.deallocate(oldest[1])
      prepared.delete(oldest[0])
    }
    return name
  }

  private connected(): Promise<Client> {
    this.opening ??= this.connect().catch((error) => {
      this.opening = undefined
      throw error
    })
    return this.opening
  }
}
