// The store for several machines: one PostgreSQL database and any number of servers.

import { StartError } from '../../domain/errors.ts'
import type { SchemaState, Store, StoreOptions } from '../../domain/store.ts'
import { type PostgresAddress, parsePostgresAddress } from './address.ts'
import { Connection } from './connection.ts'
import { openPool, writableHost } from './hosts.ts'
import { postgresKeys } from './keys.ts'
import { postgresOrders } from './orders.ts'
import { postgresPets } from './pets.ts'
import { refusal } from './refusals.ts'
import { checkRights, checkServer, migrate, NEWEST_VERSION, schemaVersion } from './schema.ts'

/** Throws StartError when the database cannot be used. */
export async function openPostgresStore(address: string, options: StoreOptions): Promise<Store> {
  try {
    return await open(parsePostgresAddress(address), options)
  } catch (error) {
    throw refusal(address, error)
  }
}

/** Changes nothing. Throws StartError when the database cannot be used. */
export async function postgresSchema(address: string): Promise<SchemaState> {
  try {
    const connection = await Connection.open(parsePostgresAddress(address))
    try {
      await checkServer(connection.read)
      return { version: await schemaVersion(connection.read), newest: NEWEST_VERSION }
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw refusal(address, error)
  }
}

async function open(address: PostgresAddress, options: StoreOptions): Promise<Store> {
  const connection = await Connection.open(address)
  try {
    await checkServer(connection.read)
    const version = await schemaVersion(connection.read)
    if (version > NEWEST_VERSION) {
      throw new StartError(
        `it was written by a newer petstore (schema ${version}; this version knows ${NEWEST_VERSION})`,
      )
    }
    if (version < NEWEST_VERSION) await migrateAlone(address)
    await checkRights(connection.read)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    ...postgresPets(connection, options),
    ...postgresOrders(connection, options),
    ...postgresKeys(connection, options),
    pool: () => connection.pool(),
    ping: async () => {
      await connection.read('SELECT 1')
    },
    close: () => connection.close(),
  }
}

/** On a connection of its own, without the time limit of the others: a migration may take long. */
async function migrateAlone(address: PostgresAddress): Promise<void> {
  const sql = openPool(address, await writableHost(address), { max: 1 })
  try {
    await migrate(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
