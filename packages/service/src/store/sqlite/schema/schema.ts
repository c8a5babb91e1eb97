// The schema of a SQLite store: its version and its migrations.

import type { Database } from 'bun:sqlite'
import { StartError } from '../../../domain/start-error.ts'
import { FIRST_VERSION, migratedSentence, refusedVersion } from '../../shared/schema-versions.ts'
import schema from './migrations/0021-schema.sql' with { type: 'text' }
import orderTerms from './migrations/0022-order-terms.sql' with { type: 'text' }
import secondRelease from './migrations/0023-second-release.sql' with { type: 'text' }

// What each version of the schema adds: the schema of 1.0.0, then a file for each later version. Released files never
// change.

export const MIGRATIONS: readonly string[] = [schema, orderTerms, secondRelease]

export const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length - 1

/** Returns the statements that create a store of a released version. */
export function schemaOf(version: number): readonly string[] {
  return MIGRATIONS.slice(0, Math.max(0, version - FIRST_VERSION + 1))
}

/** Returns 0 if there is no schema yet. */
export function schemaVersion(database: Database): number {
  const [[version] = [0]] = database.query<never, []>('PRAGMA user_version').values() as [number | bigint][]
  return Number(version)
}

/** Throws StartError unless this program can open or migrate the version. */
export function checkVersion(path: string, version: number): void {
  const reason = refusedVersion(version, NEWEST_VERSION)
  if (reason !== undefined) throw new StartError(`${path} ${reason}.`)
}

/**
 * Runs each migration in a transaction that takes the lock first, so servers that start together migrate one after
 * another. Throws StartError.
 */
export function migrate(database: Database, path: string, report: (sentence: string) => void): void {
  const before = schemaVersion(database)
  for (let version = before; version < NEWEST_VERSION; version = schemaVersion(database)) {
    const step = database.transaction(() => {
      // Another server may have been faster.
      if (schemaVersion(database) !== version) return
      const next = version === 0 ? FIRST_VERSION : version + 1
      database.run(MIGRATIONS[next - FIRST_VERSION] as string)
      database.run(`PRAGMA user_version = ${next}`)
    })
    step.immediate()
  }
  if (before > 0 && before < NEWEST_VERSION) report(`${path}: ${migratedSentence(before, NEWEST_VERSION)}`)
}
