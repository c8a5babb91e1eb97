// The version of the database: a number that changes with every commit, by this connection or any other, in this process or another.
// `PRAGMA data_version` shows the commits of other connections (https://sqlite.org/pragma.html#pragma_data_version). It takes about
// 2 µs, so it runs once in a turn of the event loop, for all requests of that turn.

import type { Statements } from './statements.ts'

export class Version {
  private number = 0
  private ofOthers: bigint | undefined
  private asked: Promise<number> | undefined
  private readonly query

  constructor(statements: Statements) {
    this.query = statements.query<[bigint], []>('PRAGMA data_version')
  }

  /** Call it after every commit of this connection, and after `reopen`. */
  changed(): void {
    this.number++
  }

  /** Queries after all requests of this turn have arrived: each gets a version that includes every commit before its arrival. */
  ask(): Promise<number> {
    this.asked ??= new Promise((resolve) => {
      setImmediate(() => {
        this.asked = undefined
        resolve(this.current())
      })
    })
    return this.asked
  }

  private current(): number {
    const ofOthers = this.read()
    if (ofOthers === undefined || ofOthers !== this.ofOthers) this.changed()
    this.ofOthers = ofOthers
    return this.number
  }

  /** `undefined` when the query fails: then no cached value is used, and the next query reports the error. */
  private read(): bigint | undefined {
    try {
      return this.query.values()[0]?.[0]
    } catch {
      return undefined
    }
  }
}
