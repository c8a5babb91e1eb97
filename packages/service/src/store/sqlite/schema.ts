// The schema of a SQLite store: its version, and how it gets the newest one.

import type { Database } from 'bun:sqlite'
import { StartError } from '../../domain/errors.ts'
import { FIRST_VERSION, refusedVersion, STEP_VERSION, StepNeeded } from '../shared/versions.ts'
import schema from './schema.sql' with { type: 'text' }

/** What came after 1.0.0, in order. A released one is never changed. */
const MIGRATIONS: readonly string[] = []
export const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length

/** The statements that bring a store of that version, 0 or one that was released, to the newest: one text for each version. */
export function migrationsFrom(version: number): readonly string[] {
  return version === 0 ? [schema, ...MIGRATIONS] : MIGRATIONS.slice(version - FIRST_VERSION)
}

/** The statements that make a store of a released version. */
export function schemaOf(version: number): readonly string[] {
  return migrationsFrom(0).slice(0, Math.max(0, version - FIRST_VERSION + 1))
}

/** 0 when there is no schema yet. */
export function schemaVersion(database: Database): number {
  const [[version] = [0]] = database.query<never, []>('PRAGMA user_version').values() as [number | bigint][]
  return Number(version)
}

/** Throws StartError unless this version can open such a store, or bring it to its own schema. */
export function checkVersion(path: string, version: number): void {
  const reason = refusedVersion(version, NEWEST_VERSION)
  if (reason !== undefined) throw new StartError(`${path} ${reason}.`)
}

/** Each migration in a transaction that takes the lock first: servers that start together migrate one after another. Throws StartError. */
export function migrate(database: Database, path: string): void {
  for (let version = schemaVersion(database); version < NEWEST_VERSION; version = schemaVersion(database)) {
    if (version === STEP_VERSION) throw new StepNeeded(path)
    database.run('BEGIN IMMEDIATE')
    try {
      // Another server may have been faster.
      if (schemaVersion(database) === version) {
        database.run(migrationsFrom(version)[0] as string)
        database.run(`PRAGMA user_version = ${version === 0 ? FIRST_VERSION : version + 1}`)
      }
      database.run('COMMIT')
    } catch (error) {
      if (database.inTransaction) database.run('ROLLBACK')
      throw error
    }
  }
}
