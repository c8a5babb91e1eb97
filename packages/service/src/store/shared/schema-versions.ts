// The numbers of the schema, the same for both stores: which of them this version opens, and the sentences about them.

import type { SchemaState } from '../../domain/store.ts'

/** The schema of 1.0.0. Every version since then opens a store of each version before it. */
export const FIRST_VERSION = 21

/** Completes a sentence about a store: "… has schema 3 …". `undefined` if this version opens it, or brings it to its own schema. */
export function refusedVersion(version: number, newest: number): string | undefined {
  if (version > newest) return `was written by a newer petstore (schema ${version}; this version knows ${newest})`
  if (version === 0 || version >= FIRST_VERSION) return undefined
  return `has schema ${version}, from before the first release: run petstore migrate --apply of version 1.0.0 first`
}

export function schemaState(version: number, newest: number): SchemaState {
  return { version, newest, refused: refusedVersion(version, newest) }
}

/** For people, after the migration of a store that was there before. */
export function migratedSentence(before: number, now: number): string {
  return `the schema was migrated from ${before} to ${now}`
}
