// The schema of a SQLite store: its version, and how it gets the newest one.

import type { Database } from 'bun:sqlite'
import { StartError } from '../../domain/start-error.ts'
import { FIRST_VERSION, refusedVersion, STEP_VERSION, StepNeeded } from '../shared/versions.ts'
import { MIGRATIONS } from './migrations/all.ts'

export const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length - 1

/** The statements that make a store of a released version. */
export function schemaOf(version: number): readonly string[] {
  return MIGRATIONS.slice(0, Math.max(0, version - FIRST_VERSION + 1))
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
        const next = version === 0 ? FIRST_VERSION : version + 1
        database.run(MIGRATIONS[next - FIRST_VERSION] as string)
        database.run(`PRAGMA user_version = ${next}`)
      }
      database.run('COMMIT')
    } catch (error) {
      if (database.inTransaction) database.run('ROLLBACK')
      throw error
    }
  }
}
