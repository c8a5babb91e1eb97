// Opens a SQLite connection: checks and migrates the file, in WAL mode with a sync at every commit.

import { Database } from 'bun:sqlite'
import { StartError } from '../../domain/errors.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { startError } from './errors.ts'
import {
  APPLICATION_ID,
  checkName,
  corrupt,
  identityOf,
  newer,
  prepareFile,
  statOrUndefined,
  UNFINISHED_ID,
  unfinished,
} from './file.ts'
import m1 from './migrations/0001-pets-and-keys.sql' with { type: 'text' }
import m2 from './migrations/0002-idempotency-keys.sql' with { type: 'text' }
import m3 from './migrations/0003-idempotency-answers.sql' with { type: 'text' }
import m4 from './migrations/0004-orders.sql' with { type: 'text' }
import m5 from './migrations/0005-key-uses.sql' with { type: 'text' }
import m6 from './migrations/0006-counted-inventory.sql' with { type: 'text' }
import m7 from './migrations/0007-inventory-view.sql' with { type: 'text' }
import m8 from './migrations/0008-categories.sql' with { type: 'text' }
import m9 from './migrations/0009-events.sql' with { type: 'text' }
import m10 from './migrations/0010-search.sql' with { type: 'text' }
import m11 from './migrations/0011-deletions.sql' with { type: 'text' }
import m12 from './migrations/0012-cheaper-events.sql' with { type: 'text' }
import m13 from './migrations/0013-older-servers.sql' with { type: 'text' }
import m14 from './migrations/0014-direct-events.sql' with { type: 'text' }
import m15 from './migrations/0015-one-place.sql' with { type: 'text' }
import m16 from './migrations/0016-lighter-terms.sql' with { type: 'text' }
import m17 from './migrations/0017-category-blocks.sql' with { type: 'text' }
import m18 from './migrations/0018-told-events.sql' with { type: 'text' }
import m19 from './migrations/0019-one-place-decides.sql' with { type: 'text' }
import m20 from './migrations/0020-search-by-fts.sql' with { type: 'text' }
import { Place } from './place.ts'
import { SearchIndex } from './search.ts'
import { Statements } from './statements.ts'

/** In order. A released migration is never changed. `user_version` counts those that have run. */
export const MIGRATIONS = [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20]

/** How long a statement waits for another process's transaction. It blocks the thread. */
export const BUSY_TIMEOUT_MS = 2000

/** A file up to this size is checked completely at start, in about 10 ms. Of a larger one, only the header is checked. */
const QUICK_CHECK_BYTES_MAX = 16 * 1024 * 1024

export interface SqliteConnection {
  /** `reopen` replaces it. Throws `unavailable` once the file is known not to be in its place. */
  readonly database: Database
  /** Looks whether the file is in its place, and throws `unavailable` when it is not. */
  check(): void
  /** Opens a new connection. When that fails, it throws and keeps the old one. Does nothing for a store in memory. */
  reopen(): void
  close(): void
}

/**
 * `path` is a file, or `:memory:`. Throws StartError when the file is not a store, or is damaged, read-only, locked or from a newer
 * version, or is not the one of the given identity.
 */
export function openConnection(
  path: string,
  { identity, onTrouble, copying }: Pick<StoreOptions, 'identity' | 'onTrouble' | 'copying'> = {},
): SqliteConnection {
  if (path === ':memory:') {
    const database = openDatabase(path)
    return { database, check() {}, reopen() {}, close: () => database.close() }
  }
  for (;;) {
    const file = prepareFile(path, MIGRATIONS.length, identity)
    const opened = identityOf(file)
    const database = openOnce(file, opened, copying)
    if (opened && database) return inPlace(file, opened, database, new Place(path, opened, onTrouble))
  }
}

/** How many migrations have run on the file. 0 when it does not exist or is empty. Changes nothing. */
export function fileVersion(path: string): number {
  const stats = statOrUndefined(path)
  checkName(path, stats)
  if (!stats || stats.size === 0) return 0
  const database = new Database(path, { readonly: true, strict: true, safeIntegers: true })
  try {
    checkFinished(database, path)
    return schemaVersion(database)
  } catch (error) {
    throw startError(path, error)
  } finally {
    database.close()
  }
}

/** Throws StartError for the target of a copy that was not completed. */
export function checkFinished(database: Database, path: string): void {
  if (Number(pragma(database, 'application_id')) === UNFINISHED_ID) throw unfinished(path)
}

/** `undefined` when another process removed the file while it was opened. */
function openOnce(path: string, identity: string | undefined, copying?: boolean): Database | undefined {
  try {
    return openDatabase(path, identity, copying)
  } catch (error) {
    if (identityOf(path) === identity) throw startError(path, error)
    return undefined
  }
}

/** Opens the new connection before it closes the old one, so that SQLite keeps its files, and reads continue if the opening fails. */
function inPlace(path: string, identity: string, opened: Database, place: Place): SqliteConnection {
  let database = opened
  return {
    get database() {
      place.throwIfLost()
      return database
    },
    check: () => place.check(),
    reopen() {
      place.check()
      const old = database
      database = openDatabase(path, identity)
      old.close()
    },
    close() {
      place.stop()
      database.close()
    },
  }
}

/** Throws StartError when the file is not the one of this identity. */
function openDatabase(path: string, identity = identityOf(path), copying = false): Database {
  let database: Database | undefined
  try {
    database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
    prepare(database, path, identity, copying)
    return database
  } catch (error) {
    database?.close()
    throw startError(path, error)
  }
}

function prepare(database: Database, path: string, identity: string | undefined, copying: boolean): void {
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const version = schemaVersion(database)
  checkInPlace(path, identity)
  if (version > MIGRATIONS.length) throw newer(path, version, MIGRATIONS.length)
  if (!copying) checkFinished(database, path)
  if (version > 0) check(database, path)
  // Before WAL mode, so that it is written to the file itself and not to the log.
  else database.run(`PRAGMA application_id = ${copying ? UNFINISHED_ID : APPLICATION_ID}`)
  database.run('PRAGMA journal_mode = WAL')
  checkInPlace(path, identity)
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  migrate(database)
  // A thread does it: see checkpoints.ts.
  database.run('PRAGMA wal_autocheckpoint = 0')
}

/**
 * While this process waited for the lock, a backup may have been restored. Then this is the previous file, and its writes would go into
 * the log of the new one. In WAL mode, SQLite holds a lock that prevents a restore.
 */
function checkInPlace(path: string, identity: string | undefined): void {
  if (identityOf(path) !== identity) throw new StartError(`${path} was replaced while it was opened. Try again.`)
}

function check(database: Database, path: string): void {
  const pages = BigInt(pragma(database, 'page_count'))
  if (pages * BigInt(pragma(database, 'page_size')) > QUICK_CHECK_BYTES_MAX) return
  if (pragma(database, 'quick_check') !== 'ok') throw corrupt(path)
}

/** Runs each migration in its own transaction. It takes the lock first, so that servers that start together migrate one after another. */
function migrate(database: Database): void {
  while (schemaVersion(database) < MIGRATIONS.length) {
    database.run('BEGIN IMMEDIATE')
    try {
      const version = schemaVersion(database)
      const migration = MIGRATIONS[version]
      if (migration !== undefined) {
        database.run(migration)
        if (migration === m20) new SearchIndex(new Statements({ database })).addAll()
        database.run(`PRAGMA user_version = ${version + 1}`)
      }
      database.run('COMMIT')
    } catch (error) {
      if (database.inTransaction) database.run('ROLLBACK')
      throw error
    }
  }
}

/** How many migrations have run. */
export function schemaVersion(database: Database): number {
  return Number(pragma(database, 'user_version'))
}

function pragma(database: Database, name: string): bigint | string {
  return database.query<Record<string, bigint | string>, []>(`PRAGMA ${name}`).values()[0]?.[0] as bigint | string
}
