// Address → store. postgres://… is a PostgreSQL database, `:memory:` is SQLite without a file, the rest are SQLite's files.

import type { Store, StoreOptions } from '../domain/store.ts'
import { isPostgresAddress } from './postgres/address.ts'
import { openPostgresStore } from './postgres/store.ts'
import { openSqliteStore } from './sqlite/store.ts'

/** Throws StartError, with a sentence that says what to do, when there is no store to be had at this address. */
export async function openStore(address: string, options: StoreOptions): Promise<Store> {
  return isPostgresAddress(address) ? openPostgresStore(address, options) : openSqliteStore(address, options)
}
