// Prepared statements, and reads. Statements survive `SqliteConnection.reopen`: each is prepared again when it is next
// used.
//
// Reads that arrive in the same turn of the event loop share one read transaction, which starts after all of them have
// arrived, so each sees every earlier commit. Under load this halves the cost of a page, because the processor's
// caches are warm.

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { translated } from './errors.ts'

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
   * the parameters' values. That takes 3 to 18 µs, so `sql` uses `LIMIT +?` and the order of an index.
   */
  query<Row = never>(sql: string): Query<Row> {
    const { connection } = this
    const prepare = () => connection.database.query<Row, SQLQueryBindings[]>(sql)
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
          resolve(translated(work))
        } catch (error) {
          reject(error)
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
