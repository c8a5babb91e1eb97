// The store of many machines: one PostgreSQL database, any number of servers.

import { type PostgresAddress, parsePostgresAddress } from '../../address.ts'
import { StartError } from '../../errors.ts'
import type { Store, StoreOptions } from '../store.ts'
import { Connection } from './connection.ts'
import { codeOf } from './errors.ts'
import { postgresKeys } from './keys.ts'
import { postgresPets } from './pets.ts'
import { refusal } from './refusals.ts'
import { checkServer, migrate, NEWEST_VERSION, schemaVersion } from './schema.ts'
import { withSession } from './session.ts'

/** How long a start waits for a server that is itself starting. */
const STARTING_WAIT_MS = 10_000

/** Throws StartError when the database cannot serve. */
export async function openPostgresStore(address: string, options: StoreOptions): Promise<Store> {
  try {
    return await open(parsePostgresAddress(address), options)
  } catch (error) {
    throw refusal(address, error)
  }
}

/** The version of the schema; 0 where there is none. Changes nothing. Throws StartError as a start does. */
export async function postgresVersion(address: string): Promise<number> {
  try {
    const connection = await connect(parsePostgresAddress(address))
    try {
      await checkServer(connection.ask)
      return await schemaVersion(connection.ask)
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw refusal(address, error)
  }
}

async function open(address: PostgresAddress, options: StoreOptions): Promise<Store> {
  const connection = await connect(address)
  try {
    await checkServer(connection.ask)
    const version = await schemaVersion(connection.ask)
    if (version > NEWEST_VERSION) {
      throw new StartError(`a newer petstore wrote it (schema ${version}, this one knows ${NEWEST_VERSION})`)
    }
    if (version < NEWEST_VERSION) await withSession(address, migrate)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    ...postgresPets(connection, options),
    ...postgresKeys(connection, options),
    // A way to tell costs a round trip, as a query does.
    freshness: () => undefined,
    pool: () => connection.pool(),
    ping: async () => {
      await connection.ask('SELECT 1')
    },
    close: () => connection.close(),
  }
}

async function connect(address: PostgresAddress): Promise<Connection> {
  for (const deadline = performance.now() + STARTING_WAIT_MS; ; await Bun.sleep(100)) {
    try {
      return await Connection.open(address)
    } catch (error) {
      if (codeOf(error) !== '57P03' || performance.now() > deadline) throw error
    }
  }
}
