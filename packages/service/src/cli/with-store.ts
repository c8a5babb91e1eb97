// Opens a store for one command. Services may use it at the same time.

import type { Config } from '../config/read-config.ts'
import { StartError } from '../domain/start-error.ts'
import type { Store } from '../domain/store.ts'
import { kindOf } from '../store/kinds.ts'
import { printNote } from './print.ts'

/** Throws StartError where there is no store. With `create` one is created, and a message says so. */
export async function withStore<Result>(
  { database }: Config,
  { create = false }: { create?: boolean },
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const kind = kindOf(database)
  const exists = kind.exists(database)
  if (!exists && !create) {
    throw new StartError(`There is no store at ${database}. Name another file with --database.`)
  }
  const store = await kind.open(database, { now: Date.now, onStep: printNote })
  if (!exists) printNote(`Created a new store at ${kind.describe(database)}.`)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
