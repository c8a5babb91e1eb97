// Schema versions, the same for both stores: which versions this program can open, and messages about them.

import type { SchemaState, StoreOptions } from '../../domain/store.ts'

/** The schema of 1.0.0. Every later version can open stores of all earlier versions. */
export const FIRST_VERSION = 21

/**
 * Completes a sentence about a store: "… has schema 3 …". Returns `undefined` if this version can open or migrate it.
 */
export function refusedVersion(version: number, newest: number): string | undefined {
  if (version > newest) return `was written by a newer petstore (schema ${version}; this version knows ${newest})`
  if (version === 0 || version >= FIRST_VERSION) return undefined
  return `has schema ${version}, from before the first release: run petstore migrate --apply of version 1.0.0 first`
}

export function schemaState(version: number, newest: number): SchemaState {
  return { version, newest, refused: refusedVersion(version, newest) }
}

/**
 * Completes a sentence about a store that must be created or migrated first. Returns `undefined` if opening it may do
 * that, or need not.
 */
export function notCurrent(version: number, newest: number, current: StoreOptions['current']): string | undefined {
  if (version >= newest || !current) return undefined
  if (version === 0)
    return 'contains no store yet: start petstore serve, or on PostgreSQL petstore migrate --apply, first'
  return `has schema ${version}, but this version needs ${newest}: run petstore migrate --apply first`
}

/** Shown after an existing store was migrated. */
export function migratedSentence(before: number, now: number): string {
  return `the schema was migrated from ${before} to ${now}`
}
