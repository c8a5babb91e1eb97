// A store for the length of a command, beside whatever service uses it.

import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { StartError } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { openStore } from '../store/kinds.ts'
import { isPostgresAddress } from '../store/postgres/address.ts'

/** Throws StartError where there is no store, unless it may be made; says on standard error when it was. */
export async function withStore<Result>(
  { database }: Config,
  { create = false }: { create?: boolean },
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const exists = isPostgresAddress(database) || existsSync(database)
  if (!exists && !create) {
    throw new StartError(`There is no store at ${database} yet. Name another file with --database.`)
  }
  const store = await openStore(database, { now: Date.now })
  if (!exists) process.stderr.write(`Made a new store at ${database}.\n`)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** A moment as tables show it, in UTC to the minute. */
export function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`
}
