// Checks that a file has everything its schema requires; SQLite does not report a missing table as damage. Additional
// parts are ignored, because Litestream adds tables.

import { Database } from 'bun:sqlite'
import { StartError } from '../../../domain/start-error.ts'
import { isSqliteCode } from '../connect/errors.ts'
import { schemaOf, schemaVersion } from './schema.ts'

const SHOWN = 5

/**
 * Names, and columns of tables with their types. Does not compare SQL, which SQLite rewrites when a table is renamed,
 * nor columns of views, which SQLite can only read if their tables exist.
 */
const PARTS = `SELECT each.type || ' ' || each.name || ifnull('.' || columns.name || ' ' || columns.type, '') AS part, each.name AS name
  FROM sqlite_schema AS each LEFT JOIN pragma_table_xinfo(iif(each.type = 'table', each.name, NULL)) AS columns
  WHERE each.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`

/**
 * Completes a sentence about the file: `lacks orders, events and 2 more of schema 17`. `undefined` if nothing is
 * missing.
 */
export function lackOf(database: Database): string | undefined {
  const version = schemaVersion(database)
  const names = missing(database, version)
  if (names.length === 0) return undefined
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return `lacks ${names.slice(0, SHOWN).join(', ')}${more} of schema ${version}`
}

/**
 * Returns the StartError for an error that a missing part caused while the file was opened or used; other errors are
 * returned unchanged.
 */
export function lackError(path: string, error: unknown): unknown {
  if (!isSqliteCode(error, 'SQLITE_ERROR')) return error
  using database = new Database(path, { readonly: true })
  const lack = lackOf(database)
  if (lack === undefined) return error
  const advice = 'Replace it with a backup (petstore restore, which keeps this file), or name another file.'
  return new StartError(`${path} ${lack}. ${advice}`, { cause: error })
}

function missing(database: Database, version: number): string[] {
  using whole = new Database(':memory:')
  for (const statements of schemaOf(version)) whole.run(statements)
  const parts = (of: Database) => of.query<{ part: string; name: string }, []>(PARTS).all()
  const there = new Set(parts(database).map(({ part }) => part))
  return [...new Set(parts(whole).flatMap(({ part, name }) => (there.has(part) ? [] : name)))]
}
