// The embedded store: one SQLite file, or memory. Several processes may use one file; each sees what the others commit.

import type { Database } from 'bun:sqlite'
import { resolve } from 'node:path'
import type { Store, StoreOptions } from '../store.ts'
import { openConnection } from './connection.ts'
import { translated } from './errors.ts'
import { Freshness } from './freshness.ts'
import { sqliteKeys } from './keys.ts'
import { sqlitePets } from './pets.ts'
import { transactions } from './transaction.ts'

/** `path` is a file or `:memory:`. Throws StartError when the file cannot serve. */
export function openSqliteStore(path: string, options: StoreOptions): Store {
  return sqliteStore(openConnection(path === ':memory:' ? path : resolve(path)), options)
}

export function sqliteStore(database: Database, options: StoreOptions): Store {
  const freshness = new Freshness(database)
  const transact = transactions(database, () => freshness.written())
  return {
    ...sqlitePets(database, transact, freshness, options),
    ...sqliteKeys(database, transact, freshness, options),
    ping: async () => {
      translated(() => freshness.stamp())
    },
    close: async () => {
      // A batch waits for the end of this turn of the event loop.
      await new Promise(setImmediate)
      database.close()
    },
  }
}
