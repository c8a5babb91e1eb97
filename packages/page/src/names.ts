// The names of the store and of its categories, as the service tells them (`GET /names`). All that shows or takes a category asks here.

import { readNames } from '../../client/src/names.ts'
import { Names } from '../../service/src/domain/names.ts'
import { TIMEOUT_MS } from './failures.ts'

/** Until the names are there, and with a service that has none. */
const NONE = new Names('Petstore')
let current = NONE

export function names(): Names {
  return current
}

/** Call it before anything is drawn that shows names. */
export function setNames(names: Names | undefined): void {
  current = names ?? NONE
}

/** Rejects as a call of the client does. */
export async function loadNames(apiKey: string | undefined, signal: AbortSignal): Promise<Names | undefined> {
  const options = { fetch: globalThis.fetch.bind(globalThis), timeoutMs: TIMEOUT_MS, retries: 0, signal }
  const read = await readNames('.', apiKey, options)
  return read && new Names(read.store, read.categories)
}
