// Prepared statements, reads and write transactions. Statements survive `SqliteConnection.reopen`: each is prepared
// again when it is next used.
//
// Reads that arrive in the same turn of the event loop share one read transaction, which starts after all of them have
// arrived, so each sees every earlier commit. Under load this halves the cost of a page, because the processor's
// caches are warm.

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { monotonicMs, sleep } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import { BUSY_TIMEOUT_MS, type SqliteConnection } from './connection.ts'
import { isSqliteCode, translate } from './errors.ts'
import type { DataVersion } from './wal-index.ts'

export type Value = string | bigint | number | null

export type Query<Row> = Pick<Statement<Row, SQLQueryBindings[]>, 'get' | 'all' | 'run'> & {
  /** Returns rows as arrays, in column order. */
  values(...params: SQLQueryBindings[]): Row[]
}

export class Statements {
  private readonly built = new Map<string, Query<unknown>>()

  constructor(private readonly connection: { readonly database: Database }) {}

  /** Prepares SQL that depends on a request, once per text. */
  queryOnce<Row>(sql: string): Query<Row> {
    return this.built.getOrInsertComputed(sql, () => this.query(sql)) as Query<Row>
  }

  /**
   * SQLite 3.54 plans a statement again at every execution if it has `LIMIT ?`, or ORDER BY with `column = ?`, to use
   * the parameters' values. That takes 3 to 18 µs, so `sql` uses `LIMIT +?` and the order of an index. Parameters can
   * also be written as in PostgreSQL: $1.
   */
  query<Row = never>(sql: string): Query<Row> {
    const { connection } = this
    const prepare = () => connection.database.query<Row, SQLQueryBindings[]>(sql.replaceAll('$', '?'))
    let { database } = connection
    let statement = prepare()
    function current() {
      if (database !== connection.database) {
        statement = prepare()
        database = connection.database
      }
      return statement
    }
    return {
      get: (...params) => current().get(...params),
      all: (...params) => current().all(...params),
      values: (...params) => current().values(...params) as Row[],
      run: (...params) => current().run(...params),
    }
  }
}

/** Rows for one INSERT, which takes two thirds of the time of single-row statements. */
const AT_ONCE = 32

/** Returns a function that inserts rows with these columns. */
export function inserter(statements: Statements, table: string, columns: readonly string[]) {
  const row = `(${columns.map(() => '?')})`
  const insert = (rows: number) => statements.query(`INSERT INTO ${table} (${columns}) VALUES ${Array(rows).fill(row)}`)
  const [one, several] = [insert(1), insert(AT_ONCE)]
  return (rows: readonly (readonly Value[])[]) => {
    const single = rows.length % AT_ONCE
    for (const row of rows.slice(0, single)) one.run(...row)
    for (let at = single; at < rows.length; at += AT_ONCE) several.run(...rows.slice(at, at + AT_ONCE).flat())
  }
}

export type Read = <Result>(work: () => Result) => Promise<Result>

/** Resolves with the result of `work`, or rejects with its translated error. */
export function reads(statements: Statements): Read {
  const begin = statements.query('BEGIN')
  const commit = statements.query('COMMIT')
  const rollback = statements.query('ROLLBACK')
  let waiting: (() => void)[] = []

  function readAll(): void {
    const all = waiting
    waiting = []
    // A single statement is its own transaction.
    const together = all.length > 1 && tryToRun(begin)
    for (const read of all) read()
    // SQLite can end a transaction on its own (https://sqlite.org/lang_transaction.html, 3); then there is nothing to
    // commit.
    if (together && !tryToRun(commit)) tryToRun(rollback)
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(translate(error))
        }
      })
      if (waiting.length === 1) process.nextTick(readAll)
    })
}

/** Returns whether it succeeded. After a failure each read is its own transaction and reports the error itself. */
function tryToRun(statement: Query<never>): boolean {
  try {
    statement.run()
    return true
  } catch {
    return false
  }
}

// A write transaction takes the lock when it begins, so it never waits halfway.

/**
 * Commits everything that `work` writes, or nothing. Resolves when it is durable; rejects with `unavailable` or
 * `storage_full`.
 */
export type Transact = <Result>(work: () => Result, options?: Writing) => Promise<Result>

/** `keepsKeys`: `work` changes no API key, so cached keys stay valid. */
type Writing = { keepsKeys?: boolean }

/**
 * The pause between attempts while another process writes. SQLite's own wait would block the thread, and all reads,
 * for up to 100 ms at a time.
 */
const AGAIN_MS = 1

export interface Transactions {
  transact: Transact
  /** Runs `work` and delays transactions of this process until it ends. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when all transactions have ended. */
  drained(): Promise<unknown>
}

export function transactions(
  connection: SqliteConnection,
  statements: Statements,
  version: DataVersion,
  afterCommit: () => void = () => undefined,
): Transactions {
  const begin = statements.query('BEGIN IMMEDIATE')
  const commit = statements.query('COMMIT')
  /**
   * The connection must be reopened, because a transaction could not be ended, or a failed write or sync left the
   * state of the disk unknown.
   */
  let doubtful = false

  function reopen(): void {
    try {
      connection.reopen()
    } catch (cause) {
      throw unavailable(cause)
    }
    doubtful = false
    version.changed()
  }

  function attempt<Result>(work: () => Result, options?: Writing): Result {
    if (doubtful) reopen()
    try {
      beginOrThrow()
      return committed(work, options)
    } catch (error) {
      doubtful = !rolledBack() || isSqliteCode(error, 'SQLITE_IOERR')
      throw error
    }
  }

  /** Runs inside a transaction. If the transaction could not begin, nothing has changed and caches stay valid. */
  function committed<Result>(work: () => Result, options?: Writing): Result {
    try {
      const result = work()
      commit.run()
      afterCommit()
      // Nothing may be acknowledged if the file can no longer be opened by its path.
      connection.check()
      return result
    } finally {
      version.changed(options)
    }
  }

  function rolledBack(): boolean {
    const { database } = connection
    try {
      // SQLite may have rolled back on its own.
      if (database.inTransaction) database.run('ROLLBACK')
      return !database.inTransaction
    } catch {
      return false
    }
  }

  /** Begins without waiting for the lock. Later statements can wait again. */
  function beginOrThrow(): void {
    const { database } = connection
    database.run('PRAGMA busy_timeout = 0')
    try {
      begin.run()
    } finally {
      database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  async function attemptAgain<Result>(work: () => Result, options?: Writing): Promise<Result> {
    if (held) await held
    const until = monotonicMs() + BUSY_TIMEOUT_MS
    for (;;) {
      try {
        return attempt(work, options)
      } catch (error) {
        if (!isSqliteCode(error, 'SQLITE_BUSY') || monotonicMs() > until) throw translate(error)
      }
      await sleep(AGAIN_MS)
    }
  }

  const waiting = new Set<Promise<unknown>>()
  let held: Promise<unknown> | undefined

  return {
    transact<Result>(work: () => Result, options?: Writing) {
      const running: Promise<Result> = attemptAgain(work, options).finally(() => waiting.delete(running))
      waiting.add(running)
      return running
    },
    hold(work) {
      const holding = work().finally(() => {
        held = undefined
      })
      held = holding
      return holding
    },
    drained: () => Promise.allSettled(waiting),
  }
}
