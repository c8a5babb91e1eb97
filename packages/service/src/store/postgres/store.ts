// The store for several machines: one PostgreSQL database and any number of servers.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { changingMethods } from '../../domain/decisions/decision.ts'
import { type Category, type StoredNames, storedNames } from '../../domain/names.ts'
import type { Inventory } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import { StartError } from '../../domain/start-error.ts'
import type { SchemaState, Store, StoreOptions } from '../../domain/store.ts'
import { ORDERS, PETS } from '../shared/lists.ts'
import { ORDER_COLUMNS, orderJson, PET_COLUMNS } from '../shared/rows.ts'
import { notCurrent, schemaState } from '../shared/schema-versions.ts'
import { searchable } from '../shared/search.ts'
import type { PostgresAddress } from './address.ts'
import { StoreFailure } from './connect/errors.ts'
import type { Check } from './connect/host-connections.ts'
import { type WritableHost, writableHost } from './connect/hosts.ts'
import { PrimaryConnection } from './connect/primary.ts'
import type { RunQuery } from './connect/session.ts'
import { postgresKeys } from './keys.ts'
import { overdueFinder } from './read/overdue.ts'
import { pages, postgresEvents, rowsById } from './read/pages.ts'
import { counter, forSearches, postgresSearch } from './read/search.ts'
import { checkRights } from './schema/rights.ts'
import { checkVersion, mayMigrate, migrate, NEWEST_VERSION, schemaVersion } from './schema/schema.ts'
import { SeenIds } from './seen-ids.ts'
import { atStart, checkServer, checkStatementTimeout, orRefusal } from './start-checks.ts'
import { postgresCommits } from './write/commits.ts'

/** Other writes wait for the lock while these expire, about 10 ms. */
const EXPIRED_AT_ONCE = 200

/** The longest current wait for a lock in the database. */
const LOCK_WAIT = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0)::float8 AS seconds FROM pg_locks
  WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`

/** Throws StartError if the database cannot be used. */
export function openPostgresStore(address: string, options: StoreOptions): Promise<Store> {
  return orRefusal(address, (parsed) => open(parsed, options))
}

/** Changes nothing. Throws StartError if the database cannot be used. */
export function postgresSchema(address: string): Promise<SchemaState> {
  return orRefusal(address, async (parsed) => {
    const connection = await PrimaryConnection.open(parsed)
    try {
      await checkServer(connection.read)
      return schemaState(await schemaVersion(connection.read), NEWEST_VERSION)
    } finally {
      await connection.close()
    }
  })
}

async function open(address: PostgresAddress, options: StoreOptions): Promise<Store> {
  const seen = new SeenIds((reason) => options.onTrouble?.({ lost: false, reason }))
  const check: Check = async (host, query) => {
    await checkAgain(address, host, query, options)
    await seen.skipOn(host, query)
  }
  const connection = await PrimaryConnection.open(address, check, options)
  try {
    await checkServer(connection.read)
    if (options.serves) await checkStatementTimeout(connection.read)
    const version = await schemaVersion(connection.read)
    checkVersion(version)
    const refused = notCurrent(version, NEWEST_VERSION, options.current)
    if (refused !== undefined) throw new StartError(`it ${refused}`)
    if (version < NEWEST_VERSION) {
      await atStart(async () => migrate(address, await writableHost(address), options))
      // If an operator ended its wait for the standby, the migration may be committed only here.
      await connection.renew()
    }
    await checkRights(connection.read)
  } catch (error) {
    await connection.close()
    throw error
  }
  const { read } = connection
  const overdue = overdueFinder(read, seen)
  const writing = postgresCommits(connection, overdue.first, seen, options)
  const search = forSearches(connection, address.connections)
  return {
    ...changingMethods(writing.commit, overdue.isAny, EXPIRED_AT_ONCE),
    ...postgresEvents(connection),
    ...postgresKeys(connection, options),
    listPets: searchable(pages(read, PETS), postgresSearch(search, PETS)),
    countPets: counter(search, PETS),
    getPet: rowsById(read, PETS, PET_COLUMNS),
    listOrders: searchable(pages(read, ORDERS), postgresSearch(search, ORDERS)),
    getOrder: rowsById(read, ORDERS, ORDER_COLUMNS),
    orderJson,
    getInventory: () => readInventory(read),
    readNames: () => readNames(read),
    setNames: (categories, check) =>
      connection.transaction(async ({ execute, query }) => {
        await execute('LOCK TABLE category_names IN SHARE ROW EXCLUSIVE MODE')
        check(await readNames(query))
        await execute('DELETE FROM category_names')
        await execute(ADD_NAMES, stringifyJson(categories))
        return readNames(query)
      }),
    pool: () => connection.pool(),
    lockWaitSeconds: async () => (await read<{ seconds: number }>(LOCK_WAIT))[0]?.seconds ?? 0,
    ping: async () => {
      await read('SELECT 1')
    },
    close: async () => {
      await writing.drained()
      await connection.close()
    },
  }
}

/**
 * Checks a host that is found later: a failover can lead to one that a migration has not reached. Throws even after
 * running the migration again, because only new connections show whether its commit reaches the standby.
 */
async function checkAgain(address: PostgresAddress, host: WritableHost, query: RunQuery, { current }: StoreOptions) {
  const version = await schemaVersion(query)
  if (version < NEWEST_VERSION) {
    const lost = `a failover lost a migration: the schema is ${version}, and this version needs ${NEWEST_VERSION}.`
    if (current || !(await mayMigrate(query))) {
      throw new StoreFailure('OLDER_SCHEMA', `${lost} Let the owner run petstore migrate --apply, and grant the rights`)
    }
    // One attempt, because the next search for the primary repeats it.
    await migrate(address, host, { waitMs: 0 }).catch((error) => {
      throw error instanceof StartError ? new StoreFailure('OLDER_SCHEMA', `${lost} ${error.message}`) : error
    })
    throw new StoreFailure('OLDER_SCHEMA', `${lost} The migration was run again`)
  }
  // Grants on the migration's tables are lost with it. A newer schema can have other tables.
  if (version === NEWEST_VERSION) await checkRights(query)
}

/** In the contract's order, so that equal counts have the same entity tag. */
async function readInventory(read: RunQuery): Promise<Inventory> {
  const rows = await read<{ status: PetStatus; pets: bigint }>('SELECT status, pets FROM inventory ORDER BY status')
  return Object.fromEntries(rows.map(({ status, pets }) => [status, pets])) as Inventory
}

const ADD_NAMES = `INSERT INTO category_names (id, name)
  SELECT id, name FROM json_to_recordset($1::text::json) AS new (id bigint, name text)`

async function readNames(read: RunQuery): Promise<StoredNames> {
  const names = await read<Category>('SELECT id, name FROM category_names ORDER BY id')
  const [highest] = await read<{ id: bigint | null }>('SELECT max(category_id) AS id FROM pets')
  return storedNames(names, highest?.id)
}
