// One connection: nothing is sent on it before the last answer has come, and each answer must say which statement it belongs to.

import type { Client, Parameter } from './client.ts'
import { StoreFailure } from './errors.ts'
import { withTimeout } from './timeout.ts'

export type { Parameter } from './client.ts'

/** Resolves with the rows of one statement. */
export type Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

const NUMBER_MAX = 2 ** 31 - 1
/** Of the last statement that was numbered. Servers begin anywhere: behind a pooler an answer might be another server's. */
let lastNumber = (crypto.getRandomValues(new Uint32Array(1))[0] as number) % NUMBER_MAX

/** What statements are called where they are prepared. */
const names = new Map<string, string>()

export class Session {
  /** Opened for the first statement. */
  private opening: Promise<Client> | undefined
  private busy = false
  /** Resolves when no statement is in progress. */
  private answered: Promise<unknown> = Promise.resolve()
  /** Resolves when no transaction is open. */
  private transacted: Promise<unknown> = Promise.resolve()
  /** Whether the database itself is at the other end; unknown until it is asked. */
  private direct: boolean | undefined

  /** PostgreSQL evaluates `condition` before a statement that is asked or read, and does not run it when that fails. */
  constructor(
    private readonly open: () => Promise<Client>,
    private readonly condition = 'true',
  ) {}

  /** Runs one SELECT, or one change with RETURNING. Fails with WRONG_ANSWER when the answer belongs to another statement. */
  readonly ask: Ask = async <Row extends object>(statement: string, ...parameters: Parameter[]) => {
    lastNumber = (lastNumber + 1) % NUMBER_MAX
    const number = lastNumber
    const [head, ...rows] = await this.send<Row & { asked: number | null }>(
      this.numbered(statement, parameters.length + 1),
      ...parameters,
      number,
    )
    if (head?.asked !== number) throw new StoreFailure('WRONG_ANSWER', 'the answer belongs to another statement')
    return rows
  }

  /** As `ask`, for one SELECT that changes nothing. Without a pooler there is no number: it would cost a tenth of a list. */
  readonly read: Ask = async <Row extends object>(statement: string, ...parameters: Parameter[]) => {
    this.direct ??= await this.isDirect()
    return this.direct
      ? this.send<Row>(`SELECT * FROM (${statement}) AS answer WHERE ${this.condition}`, ...parameters)
      : this.ask<Row>(statement, ...parameters)
  }

  /** Runs any statement, without the condition. */
  readonly send: Ask = async <Row extends object>(statement: string, ...parameters: Parameter[]) => {
    this.direct ??= await this.isDirect()
    return (await this.run<Row>(statement, parameters)).rows
  }

  /** Commits everything that `work` writes, or nothing. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.transact(work)
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

  private async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.run('BEGIN')
    try {
      const result = await work()
      const { command } = await this.run('COMMIT')
      // After an error within the transaction, COMMIT succeeds as a ROLLBACK.
      if (command !== 'COMMIT') throw new StoreFailure('NOT_COMMITTED', `COMMIT was answered with ${command}`)
      return result
    } catch (error) {
      await this.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /**
   * A pooler greets its clients with a number of its own. Behind it each transaction may meet another connection of the database, so
   * statements there have no names: the driver prepares each as it is sent.
   */
  private async isDirect(): Promise<boolean> {
    const { rows } = await this.run<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return rows[0]?.pid === (await this.opening)?.processID
  }

  /** The statement, with a row before its own that has its number, the parameter at `place`. */
  private numbered(statement: string, place: number): string {
    return `WITH answer AS NOT MATERIALIZED (${statement})
      SELECT $${place}::int AS asked, answer.* FROM (SELECT) AS head LEFT JOIN answer ON false WHERE ${this.condition}
      UNION ALL SELECT NULL, * FROM answer`
  }

  private async run<Row extends object>(statement: string, parameters: Parameter[] = []) {
    if (this.busy) throw new Error('a statement is in progress on this connection')
    this.busy = true
    const { promise, resolve } = Promise.withResolvers<void>()
    this.answered = promise
    try {
      this.opening ??= this.open()
      const client = await this.opening.catch((error) => {
        this.opening = undefined
        throw error
      })
      return await client.run<Row>(statement, parameters, this.direct ? nameOf(statement, parameters) : undefined)
    } finally {
      this.busy = false
      resolve()
    }
  }
}

/** None for one without parameters: it may be several. */
function nameOf(statement: string, parameters: readonly Parameter[]): string | undefined {
  if (parameters.length === 0) return undefined
  const name = names.get(statement) ?? `s${names.size}`
  names.set(statement, name)
  return name
}
