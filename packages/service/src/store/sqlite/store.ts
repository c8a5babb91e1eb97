// The embedded store: one SQLite file, which several processes can share, or memory.

import { changingMethods } from '../../domain/decisions/decision.ts'

import { type Category, type NameStore, storedNames } from '../../domain/names.ts'

import type { Inventory } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'

import type { Store, StoreOptions } from '../../domain/store.ts'
import { endOfTurn } from '../../system/runtime.ts'
import { ORDERS, PETS } from '../shared/lists.ts'
import { ORDER_COLUMNS, orderJson, PET_COLUMNS } from '../shared/rows.ts'
import { searchable } from '../shared/search.ts'
import { startCheckpoints } from './connect/checkpoints.ts'
import { openConnection, type SqliteConnection } from './connect/connection.ts'
import { translated } from './connect/errors.ts'
import { type Read, reads, Statements, type Transact, transactions } from './connect/statements.ts'
import { DataVersion } from './connect/wal-index.ts'

import { lackError } from './file/integrity.ts'

import { beginNewCopy, copyGuard } from './file/litestream.ts'
import { sqliteKeys } from './keys.ts'
import { pages, rowById, sqliteEvents } from './read/pages.ts'
import { counter, inThisThread, searchThread, sqliteSearch } from './read/search.ts'
import { commits, overdueFinder } from './write/commits.ts'

/** Expiring runs on the main thread; this many take at most 5 ms. */
const EXPIRED_AT_ONCE = 50

/** `path` is absolute, or `:memory:`. Throws StartError if the file cannot be used. */
export function openSqliteStore(path: string, options: StoreOptions): Store {
  try {
    return sqliteStore(openConnection(path, options), options)
  } catch (error) {
    throw lackError(path, error)
  }
}

export function sqliteStore(connection: SqliteConnection, options: StoreOptions): Store {
  if (options.serves) beginNewCopy(connection)
  const statements = new Statements(connection)
  const version = new DataVersion(connection, statements)
  const ping = statements.query('SELECT 1 FROM pets LIMIT 1')
  const read = reads(statements)
  const isFile = connection.database.filename !== ':memory:'
  const guard = options.serves && isFile ? copyGuard(connection) : () => undefined
  const { transact, hold, drained } = transactions(connection, statements, version, guard)
  const writing = commits(statements, transact, options)
  const searches = isFile
    ? searchThread(connection)
    : { query: inThisThread(statements, read), stop: async () => undefined }
  const checkpoints = startCheckpoints(connection, hold)
  return {
    ...changingMethods(writing.commit, overdueFinder(statements, read, options.now), EXPIRED_AT_ONCE),
    ...sqliteEvents(statements, read),
    listPets: searchable(pages(statements, read, PETS), sqliteSearch(searches.query, PETS)),
    countPets: counter(searches.query, PETS),
    getPet: rowById(statements, read, PETS, PET_COLUMNS),
    listOrders: searchable(pages(statements, read, ORDERS), sqliteSearch(searches.query, ORDERS)),
    getOrder: rowById(statements, read, ORDERS, ORDER_COLUMNS),
    orderJson,
    getInventory: inventoryReader(statements, read),
    ...sqliteKeys(statements, transact, options),
    ...sqliteNames(statements, read, transact),
    version: version.current,
    ping: async () => {
      connection.check()
      translated(() => ping.get())
    },
    close: async () => {
      // Reads start before the end of this turn, writes after it.
      await endOfTurn()
      await writing.drained()
      await drained()
      await searches.stop()
      try {
        if (options.serves) await checkpoints.finish()
      } finally {
        try {
          connection.close()
        } finally {
          await checkpoints.stop()
        }
      }
    },
  }
}

/**
 * A transaction counts the pets that it adds when it ends; triggers count changes of status and deletions
 * (migrations/0021-schema.sql). Pets that were added without being counted are counted here.
 */
export function inventoryReader(statements: Statements, read: Read): () => Promise<Inventory> {
  const inventory = statements.query<[PetStatus, bigint]>(
    `SELECT status, pets + (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to) FROM inventory`,
  )
  return () => read(() => Object.fromEntries(inventory.values()) as Inventory)
}

function sqliteNames(statements: Statements, read: Read, transact: Transact): NameStore {
  const list = statements.query<Category>('SELECT id, name FROM category_names ORDER BY id')
  const highest = statements.query<{ id: bigint | null }>('SELECT max(category_id) AS id FROM pets')
  const clear = statements.query('DELETE FROM category_names')
  const add = statements.query('INSERT INTO category_names (id, name) VALUES (?, ?)')
  const stored = () => storedNames(list.all(), highest.get()?.id)
  return {
    readNames: () => read(stored),
    setNames: (categories, check) =>
      transact(() => {
        check(stored())
        clear.run()
        for (const { id, name } of categories) add.run(id, name)
        return stored()
      }),
  }
}
