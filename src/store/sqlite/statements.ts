// Prepared statements that survive `Connection.reopen`: each is prepared again at its next use.

import type { SQLQueryBindings, Statement } from 'bun:sqlite'
import type { Connection } from './connection.ts'

/** What the store uses of a prepared statement. */
export type Query<Row, Params extends SQLQueryBindings[]> = Pick<Statement<Row, Params>, 'get' | 'all' | 'run'> & {
  /** Rows as arrays, in the order of the columns. */
  values(...params: Params): Row[]
}

export class Statements {
  constructor(private readonly connection: Connection) {}

  query<Row, Params extends SQLQueryBindings[]>(sql: string): Query<Row, Params> {
    const { connection } = this
    // The driver's types do not accept a list of parameters as a type argument.
    const prepare = () => connection.database.query<Row, Params>(sql) as unknown as Statement<Row, Params>
    let { database } = connection
    let statement = prepare()
    function current(): Statement<Row, Params> {
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
