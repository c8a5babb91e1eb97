// The proof that what was read is still what the database says: a stamp that differs after every commit, by this
// connection or by any other, of this process or another.

import type { Database } from 'bun:sqlite'

export class Freshness {
  private ownWrites = 0
  private readonly dataVersion

  constructor(database: Database) {
    // Changes when another connection has committed since it was last asked (https://sqlite.org/pragma.html).
    this.dataVersion = database.query<{ data_version: bigint }, []>('PRAGMA data_version')
  }

  /** To be called after each commit of this connection. */
  written(): void {
    this.ownWrites++
  }

  /** Equal stamps: nothing was committed in between. Costs about 2 µs. */
  stamp(): string {
    return `${this.dataVersion.values()[0]?.[0]}:${this.ownWrites}`
  }
}
