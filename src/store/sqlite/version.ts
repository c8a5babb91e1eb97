// Which state the database is in: a number that differs after every commit, by this connection or by any other, of this process
// or another. `PRAGMA data_version` tells of the others (https://sqlite.org/pragma.html#pragma_data_version), and costs
// some 2 µs: so it is asked once in a turn of the event loop, for every request that has arrived in it.

import type { Statements } from './statements.ts'

export class Version {
  private number = 0
  private ofOthers: bigint | undefined
  private asked: Promise<number> | undefined
  private readonly query

  constructor(statements: Statements) {
    this.query = statements.query<[bigint], []>('PRAGMA data_version')
  }

  /** To be called after every commit of this connection, and when it was opened anew. */
  changed(): void {
    this.number++
  }

  /** Asks after this turn's requests have been taken in: each learns of every commit before it arrived. */
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

  /** `undefined` where the database does not answer: then nothing that was kept is used, and a query meets what is wrong. */
  private read(): bigint | undefined {
    try {
      return this.query.values()[0]?.[0]
    } catch {
      return undefined
    }
  }
}
