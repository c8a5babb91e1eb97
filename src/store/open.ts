// Address → store. A file path is SQLite, `:memory:` is SQLite without a file.

import { openSqliteStore } from './sqlite/store.ts'
import type { Store, StoreOptions } from './store.ts'

/** Throws StartError, with a sentence that says what to do, when there is no store to be had at this address. */
export async function openStore(address: string, options: StoreOptions): Promise<Store> {
  return openSqliteStore(address, options)
}
