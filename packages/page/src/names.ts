// The names of the store and of its categories (`GET /names`). Everything that shows or reads a category uses them.

import { readNames } from '../../client/src/names.ts'
import { Names } from '../../service/src/domain/names.ts'
import { TIMEOUT_MS } from './failures.ts'

/** The name of a store that has none. */
export const NO_NAME = 'Petstore'
/** Used until the names have loaded, and with a service that has no names. */
const NONE = new Names(NO_NAME)
let current = NONE

export function names(): Names {
  return current
}

/** Call it before rendering anything that shows names. */
export function setNames(names: Names | undefined): void {
  current = names ?? NONE
}

/** Rejects with the client's errors. */
export async function loadNames(apiKey: string | undefined, signal: AbortSignal): Promise<Names | undefined> {
  const options = { fetch: globalThis.fetch.bind(globalThis), timeoutMs: TIMEOUT_MS, retries: 0, signal }
  const read = await readNames('.', apiKey, options)
  return read && new Names(read.store, read.categories)
}
