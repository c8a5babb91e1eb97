// The version of a store's schema, and bringing it to ours: for operators who do so before they start new servers.

import { openStore } from './kinds.ts'
import { isPostgresAddress } from './postgres/address.ts'
import { NEWEST_VERSION } from './postgres/schema.ts'
import { postgresVersion } from './postgres/store.ts'
import { fileVersion, MIGRATIONS } from './sqlite/connection.ts'

export interface SchemaState {
  /** 0: there is nothing yet. */
  version: number
  /** What this program brings it to. */
  newest: number
}

/** Changes nothing. Throws StartError when the store cannot be used. */
export async function schemaState(address: string): Promise<SchemaState> {
  if (isPostgresAddress(address)) return { version: await postgresVersion(address), newest: NEWEST_VERSION }
  return { version: fileVersion(address), newest: MIGRATIONS.length }
}

/** Throws StartError when the store cannot be used, a newer schema included. */
export async function migrateStore(address: string): Promise<void> {
  const store = await openStore(address, { now: Date.now })
  await store.close()
}
