// The names of the store and of its categories (`GET /names`). Everything that shows or reads a category uses them.

import { signal } from '@preact/signals'
import { readNames, replaceNames } from '../../client/src/names.ts'
import { PetstoreApiError } from '../../client/src/petstore.ts'
import { type Category, Names } from '../../service/src/domain/names.ts'
import { TIMEOUT_MS } from './failures.ts'

/** The name of a store that has none. */
export const NO_NAME = 'Petstore'
/** Used until the names have loaded, and with a service that has no names. */
const NONE = new Names(NO_NAME)
const current = signal(NONE)
/** The key of the last read. */
let key: string | undefined

/** Reading it during rendering renders the component again when the names change. */
export function names(): Names {
  return current.value
}

export function setNames(names: Names | undefined): void {
  current.value = names ?? NONE
}

const options = (signal: AbortSignal) => ({
  fetch: globalThis.fetch.bind(globalThis),
  timeoutMs: TIMEOUT_MS,
  retries: 0,
  signal,
})

/** Rejects with the client's errors. */
export async function loadNames(apiKey: string | undefined, signal: AbortSignal): Promise<void> {
  key = apiKey
  const read = await readNames('.', apiKey, options(signal))
  setNames(read && new Names(read.store, read.categories))
}

interface EditableNames {
  categories: readonly Category[]
  nextId: bigint
}

/** Resolves with `undefined` if a file of the service has the names, so they cannot be changed here. */
export async function readEditable(): Promise<(EditableNames & { tag: string }) | undefined> {
  const read = await readNames('.', key, options(AbortSignal.any([])))
  return read?.nextId === undefined
    ? undefined
    : { categories: read.categories ?? [], nextId: read.nextId, tag: read.tag }
}

/**
 * Replaces the names with what `change` makes of them, again if another till changed them in the meantime. Resolves
 * with whether they can be changed. Rejects with the client's errors.
 */
export async function changeNames(
  change: (before: EditableNames) => readonly Category[] | undefined,
): Promise<boolean> {
  for (;;) {
    const before = await readEditable()
    if (!before || key === undefined) return false
    const categories = change(before)
    if (!categories) return true
    try {
      const after = await replaceNames('.', key, categories, before.tag, options(AbortSignal.any([])))
      setNames(new Names(after.store, after.categories))
      return true
    } catch (error) {
      if (!(error instanceof PetstoreApiError && error.code === 'precondition_failed')) throw error
    }
  }
}

/** Adds a category, unless there is one with this name. Resolves and rejects like `changeNames`. */
export function addCategory(name: string): Promise<boolean> {
  return changeNames(({ categories, nextId }) =>
    new Names('', categories).idOf(name) === undefined ? [...categories, { id: nextId, name: name.trim() }] : undefined,
  )
}
