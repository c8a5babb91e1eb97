// One connection, which responds to statements in order. A statement fails if it runs on another host than the one found.
//
// A transaction does not wait for BEGIN before its first statement, nor for its last statement before COMMIT. That
// saves two of four round trips while other transactions wait for its lock.

import { atMost } from '../../../system/runtime.ts'
import type { Client, Parameter } from './client.ts'
import { StoreFailure } from './errors.ts'
import { CLOSE_TIMEOUT_MS, TRANSACTION_IDLE_MS } from './time-limits.ts'

export type { Parameter } from './client.ts'

/** Resolves with the rows of one statement. */
export type RunQuery = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

/**
 * Settings that our statements depend on. Each session sets them, because a server, a database or a role can have other values. Behind a
 * pooler a transaction can use another session, so startup rejects other values there (hosts.ts).
 */
export const SETTINGS = {
  // Each statement must see everything committed before it started. The lock for adding pets depends on that.
  default_transaction_isolation: 'read committed',
  // Otherwise NULL in an array is a text of four letters.
  array_nulls: 'on',
  // Otherwise the server may not report a cancelled wait for the standby.
  client_min_messages: 'notice',
  // Otherwise GIN returns a random subset of the matching rows.
  gin_fuzzy_search_limit: '0',
} as const

/** Writes to the write-ahead log, so that the commit waits for the synchronous standby. Has no other effect. */
export const LOG_MESSAGE = `pg_logical_emit_message(true, 'petstore', '')`
/** Waits for the disk and for the synchronous standby, and for more if the database's settings say so. */
const WAIT_FOR_STANDBY = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
  THEN set_config('synchronous_commit', 'on', true) END`

/**
 * Begins a transaction with settings that end with it, also behind a pooler. `also` are more expressions to select.
 * The commit waits for the synchronous standby, unless `settings` set synchronous_commit. No trigger changes that
 * (schema/functions.sql). The database ends the transaction if the client stops, because it can hold a lock.
 */
export function beginWith(
  settings: Readonly<Record<string, string | number>> = {},
  also: readonly string[] = [],
): string {
  const all = { 'petstore.decides': 'on', idle_in_transaction_session_timeout: TRANSACTION_IDLE_MS, ...settings }
  // Selecting one column is faster than one column per setting.
  return `BEGIN; SELECT concat(${[WAIT_FOR_STANDBY, ...set(all, true), ...also]})`
}

function set(settings: Readonly<Record<string, string | number>>, forTransaction: boolean): string[] {
  return Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', ${forTransaction})`)
}

export class Session {
  /** Opened for the first statement. */
  private opening: Promise<Client> | undefined
  /** Resolves when the last statement sent gets its response. */
  private answered: Promise<unknown> = Promise.resolve()
  /** The last statement of the open transaction, if it is sent with COMMIT. */
  private closing: Promise<unknown> | undefined
  /** Aborted once the open transaction can no longer succeed, or its caller has a result. */
  private ended: AbortSignal | undefined
  /** Resolves when no transaction is open. */
  private transacted: Promise<unknown> = Promise.resolve()
  /** Whether the database itself is at the other end, and not a pooler; unknown before the first statement. */
  private direct: boolean | undefined

  /** PostgreSQL evaluates `condition` before each statement of `query`, which does not run if it fails. */
  constructor(
    private readonly connect: () => Promise<Client>,
    private readonly condition = 'true',
  ) {}

  /** Otherwise the first statement does this. */
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
    this.ended?.throwIfAborted()
    await this.open()
    return (await this.run<Row>(statement, parameters)).rows
  }

  /**
   * Runs any statement as the last one of the transaction and discards its rows. If it fails, the transaction fails
   * with its error.
   */
  readonly finish = (statement: string, ...parameters: Parameter[]): void => {
    this.ended?.throwIfAborted()
    this.closing = this.run(statement, parameters)
    this.closing.catch(() => {})
  }

  /**
   * Commits everything that `work` writes, or nothing. `begin`: statements without parameters that begin the
   * transaction. After `abort`, the next statement throws its reason, and nothing is committed, unless COMMIT was
   * already sent.
   */
  async transaction<Result>(
    work: () => Promise<Result>,
    begin = beginWith(),
    abort = new AbortController(),
  ): Promise<Result> {
    const done = this.transact(work, begin, abort)
    this.transacted = done.catch(() => {})
    return done
  }

  /** Ends the connection after the statement or transaction in progress, at the latest after `timeoutMs`. */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    await atMost(Promise.allSettled([this.transacted, this.answered]), timeoutMs)
    const client = await this.opening?.catch(() => undefined)
    await client?.close(timeoutMs)
  }

  readonly [Symbol.asyncDispose] = () => this.close()

  private async transact<Result>(work: () => Promise<Result>, begin: string, abort: AbortController): Promise<Result> {
    this.closing = undefined
    // Opens first: a rollback would undo the session's settings, and some settings must be set before a transaction.
    await this.open()
    abort.signal.throwIfAborted()
    this.ended = abort.signal
    // A statement without its BEGIN would be committed on its own.
    const begun = this.run(begin).catch((error) => {
      abort.abort(error)
      throw error
    })
    const [beginning, worked] = await Promise.allSettled([begun, work()])
    this.ended = undefined
    if (beginning.status === 'rejected' || worked.status === 'rejected' || abort.signal.aborted) {
      await this.run('ROLLBACK').catch(() => {})
      if (beginning.status === 'rejected') throw beginning.reason
      throw worked.status === 'rejected' ? worked.reason : abort.signal.reason
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
   * A pooler sends its own process number. After it, each transaction can use another connection, so statements have
   * no names and set nothing for the session.
   */
  private async isDirect(): Promise<boolean> {
    const isDirect = `pg_backend_pid() = ${(await this.connected()).processID}`
    const { rows } = await this.run<{ direct: boolean }>(
      `SELECT ${isDirect} AS direct, CASE WHEN ${isDirect} THEN concat(${set(SETTINGS, false)}) END`,
    )
    return rows[0]?.direct ?? false
  }

  private run<Row extends object>(statement: string, parameters: Parameter[] = []) {
    const answer = this.connected().then((client) => client.run<Row>(statement, parameters, this.direct))
    this.answered = answer.catch(() => {})
    return answer
  }

  private connected(): Promise<Client> {
    this.opening ??= this.connect().catch((error) => {
      this.opening = undefined
      throw error
    })
    return this.opening
  }
}
