// A store for the length of a command, beside whatever service uses it.

import type { Config } from '../config/config.ts'
import { StartError } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { kindOf } from '../store/kinds.ts'

/** Throws StartError where there is no store, unless it may be made; says on standard error when it was. */
export async function withStore<Result>(
  { database }: Config,
  { create = false }: { create?: boolean },
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const kind = kindOf(database)
  const exists = kind.exists(database)
  if (!exists && !create) {
    throw new StartError(`There is no store at ${database} yet. Name another file with --database.`)
  }
  const store = await kind.open(database, { now: Date.now })
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
