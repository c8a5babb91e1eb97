// The embedded store: one SQLite file, or memory. Several processes may use one file.

import { resolve } from 'node:path'
import type { Store, StoreOptions } from '../../domain/store.ts'
import { endOfTurn } from '../../system/turn.ts'
import { startFilling } from '../search/filling.ts'
import { searchable } from '../search/search.ts'
import { SEGMENT } from '../search/terms.ts'
import { Demand } from '../search/turns.ts'
import { ORDERS, PETS } from '../shared/lists.ts'
import { startCheckpoints } from './checkpoints.ts'
import { openConnection, type SqliteConnection } from './connection.ts'
import { translated } from './errors.ts'
import { EventWriter, sqliteEvents } from './events.ts'
import { sqliteKeys } from './keys.ts'
import { OrderChanges } from './order-changes.ts'
import { sqliteOrders } from './orders.ts'
import { PetChanges } from './pet-changes.ts'
import { sqlitePets } from './pets.ts'
import { lackError } from './schema-check.ts'
import { sqliteSearchTables } from './search.ts'
import { sqliteSearchPruning } from './search-pruning.ts'
import { reads, Statements } from './statements.ts'
import { transactions } from './transaction.ts'
import { Version } from './version.ts'
import { writes } from './writes.ts'

/** `path` is a file or `:memory:`. Throws StartError when the file cannot be used. */
export function openSqliteStore(path: string, options: StoreOptions): Store {
  if (path === ':memory:') return sqliteStore(openConnection(path, options), options)
  try {
    return sqliteStore(openConnection(resolve(path), options), options)
  } catch (error) {
    throw lackError(path, error)
  }
}

export function sqliteStore(connection: SqliteConnection, options: StoreOptions): Store {
  const statements = new Statements(connection)
  const version = new Version(connection, statements)
  const ping = statements.query('SELECT 1 FROM pets LIMIT 1')
  const read = reads(statements)
  const { transact, hold, settled } = transactions(connection, statements, version)
  const eventWriter = new EventWriter(statements)
  const writing = writes(statements, transact, version.current, eventWriter, options)
  const orderChanges = new OrderChanges(statements, eventWriter)
  const petChanges = new PetChanges(statements, orderChanges, eventWriter)
  const pets = sqlitePets(statements, petChanges, eventWriter, read, writing)
  const orders = sqliteOrders(statements, orderChanges, read, writing, options)
  const size = options.searchSegment ?? SEGMENT
  const tables = {
    pets: sqliteSearchTables(statements, read, transact, PETS, size),
    orders: sqliteSearchTables(statements, read, transact, ORDERS, size),
  }
  const demand = new Demand()
  const filled = {
    pets: { ...tables.pets, ...sqliteSearchPruning(statements, read, transact, PETS, size) },
    orders: { ...tables.orders, ...sqliteSearchPruning(statements, read, transact, ORDERS, size) },
  }
  const filling = startFilling(filled, size, demand, options)
  const checkpoints = startCheckpoints(connection, hold)
  return {
    ...pets,
    ...orders,
    ...sqliteEvents(statements, read, transact),
    listPets: searchable(pets.listPets, tables.pets, PETS, size, demand),
    listOrders: searchable(orders.listOrders, tables.orders, ORDERS, size, demand),
    ...sqliteKeys(statements, transact, options),
    version: version.current,
    ping: async () => {
      connection.check()
      translated(() => ping.get())
    },
    close: async () => {
      // Reads begin before the end of this turn, writes after it.
      await endOfTurn()
      await filling.stop()
      await writing.settled()
      await settled()
      await checkpoints.stop()
      connection.close()
    },
  }
}
