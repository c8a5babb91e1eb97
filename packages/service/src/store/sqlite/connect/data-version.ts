// The version of the database: numbers that change with every commit of any connection in any process.

import type { Database } from 'bun:sqlite'
import type { StoreVersion } from '../../../domain/store.ts'
import { startTimer } from '../../../system/runtime.ts'
import type { SqliteConnection } from './connection.ts'
import type { Statements } from './statements.ts'
import { walIndexHeader } from './wal-index.ts'

/** Mapping the header takes a millisecond, so it does not delay the first requests of a server. */
const MAPPED_AFTER_MS = 100

/**
 * `PRAGMA data_version` shows the commits of other connections (https://sqlite.org/pragma.html#pragma_data_version).
 * It runs only if the header of the log's index has changed.
 */
export class DataVersion {
  private latest = { data: 0, keys: 0 }
  private ofOthers: bigint | undefined
  private database: Database | undefined
  private header: Int32Array | undefined
  /** The header just before the last query. */
  private seen = new Int32Array(0)
  private readonly query

  constructor(
    private readonly connection: SqliteConnection,
    statements: Statements,
  ) {
    this.query = statements.query<[bigint]>('PRAGMA data_version')
  }

  /** Call it after every commit of this connection, and after `reopen`. */
  changed({ keepsKeys = false } = {}): void {
    const { data, keys } = this.latest
    this.latest = { data: data + 1, keys: keepsKeys ? keys : keys + 1 }
  }

  /** Includes every commit before the call. */
  readonly current = (): StoreVersion => {
    if (this.connection.database !== this.database) this.opened()
    if (!this.isSeen()) this.refresh()
    return this.latest
  }

  private opened(): void {
    const { database } = this.connection
    this.database = database
    this.ofOthers = undefined
    this.header = undefined
    startTimer(() => {
      if (database !== this.database) return
      this.header = walIndexHeader(database.filename)
      this.seen = new Int32Array(this.header?.length ?? 0)
    }, MAPPED_AFTER_MS).unref()
  }

  private isSeen(): boolean {
    const { header, seen } = this
    if (!header) return false
    for (let index = 0; index < header.length; index++) if (header[index] !== seen[index]) return false
    return true
  }

  private refresh(): void {
    // Copied before the query, so a commit in between is noticed at the next call.
    if (this.header) this.seen.set(this.header)
    try {
      const ofOthers = this.query.values()[0]?.[0]
      if (ofOthers !== this.ofOthers) this.changed()
      this.ofOthers = ofOthers
    } catch {
      // Cached values become unusable; the next query reports the error.
      this.changed()
      this.seen.fill(0)
    }
  }
}
