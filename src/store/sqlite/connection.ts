// One SQLite connection, as the service needs it: ours, whole, migrated, in WAL mode, synced at every commit.

import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { StartError } from '../../errors.ts'
import first from '../migrations/sqlite/0001-pets-and-keys.sql' with { type: 'text' }
import second from '../migrations/sqlite/0002-idempotency-keys.sql' with { type: 'text' }
import { isSqliteCode } from './errors.ts'
import { APPLICATION_ID, corrupt, newer, prepareFile } from './file.ts'
import { Freshness } from './freshness.ts'
import { mapWalIndex, type WalIndex } from './wal-index.ts'

/** In order; a migration that was ever released is never changed. `user_version` counts those that have run. */
export const MIGRATIONS = [first, second]

/** How long a statement waits for another process's transaction. The thread waits with it. */
export const BUSY_TIMEOUT_MS = 2000

/** A file up to this size is checked whole at start (some 10 ms); a larger one by its structure's first pages only. */
const QUICK_CHECK_BYTES_MAX = 16 * 1024 * 1024

export interface Connection {
  /** Another one after a reopening. */
  database: Database
  freshness: Freshness
  /** Throws and leaves all as it is where that cannot be done. In memory it does nothing. */
  reopen(): void
  close(): void
}

/**
 * `path` is a file, or `:memory:`. Throws StartError when the file is not ours, damaged, read-only, locked or newer than
 * this program.
 */
export function openConnection(path: string): Connection {
  if (path === ':memory:') {
    const database = openDatabase(path)
    return { database, freshness: new Freshness(), reopen() {}, close: () => database.close() }
  }
  prepareFile(path, MIGRATIONS.length)
  for (;;) {
    const walIndex = mapWalIndex(path)
    let database: Database | undefined
    const close = (): void => {
      database?.close()
      walIndex.release()
    }
    try {
      database = openDatabase(path)
    } catch (error) {
      close()
      throw error
    }
    if (walIndex.isCurrent()) return reopenable(path, database, walIndex)
    // Another process left in between, and took the file that is mapped with it.
    close()
  }
}

/** How many migrations have run on the file, which is left as it is. 0: there is none, or nothing in it. */
export function fileVersion(path: string): number {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file || file.size === 0) return 0
  const database = new Database(path, { readonly: true, strict: true, safeIntegers: true })
  try {
    return schemaVersion(database)
  } catch (error) {
    throw startError(path, error)
  } finally {
    database.close()
  }
}

/** The new one is opened before the old one is closed: so SQLite keeps its files, and reads go on if it cannot be opened. */
function reopenable(path: string, database: Database, walIndex: WalIndex): Connection {
  const connection: Connection = {
    database,
    freshness: new Freshness(walIndex.header),
    reopen() {
      const old = connection.database
      connection.database = openDatabase(path)
      old.close()
    },
    close() {
      connection.database.close()
      walIndex.release()
    },
  }
  return connection
}

function openDatabase(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
  try {
    prepare(database, path)
    return database
  } catch (error) {
    database.close()
    throw startError(path, error)
  }
}

function prepare(database: Database, path: string): void {
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const version = schemaVersion(database)
  if (version > MIGRATIONS.length) throw newer(path, version, MIGRATIONS.length)
  if (version > 0) check(database, path)
  // Before WAL, so that it stands in the file itself and not in the log.
  else database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  migrate(database)
}

function check(database: Database, path: string): void {
  const pages = BigInt(pragma(database, 'page_count'))
  if (pages * BigInt(pragma(database, 'page_size')) > QUICK_CHECK_BYTES_MAX) return
  if (pragma(database, 'quick_check') !== 'ok') throw corrupt(path)
}

/** Each in a transaction of its own; the lock is taken first, so that two servers starting together take turns. */
function migrate(database: Database): void {
  for (;;) {
    database.run('BEGIN IMMEDIATE')
    try {
      const version = schemaVersion(database)
      const migration = MIGRATIONS[version]
      if (migration !== undefined) {
        database.run(migration)
        database.run(`PRAGMA user_version = ${version + 1}`)
      }
      database.run('COMMIT')
      if (migration === undefined) return
    } catch (error) {
      if (database.inTransaction) database.run('ROLLBACK')
      throw error
    }
  }
}

function schemaVersion(database: Database): number {
  return Number(pragma(database, 'user_version'))
}

function pragma(database: Database, name: string): bigint | string {
  return database.query<Record<string, bigint | string>, []>(`PRAGMA ${name}`).values()[0]?.[0] as bigint | string
}

function startError(path: string, error: unknown): unknown {
  if (isSqliteCode(error, 'SQLITE_CORRUPT', 'SQLITE_NOTADB')) return corrupt(path, error)
  if (isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return new StartError(`${path} is locked by another process. Stop that process, or name another file.`, {
      cause: error,
    })
  }
  if (isSqliteCode(error, 'SQLITE_READONLY', 'SQLITE_CANTOPEN')) {
    return new StartError(`${path} cannot be written to. Let this user write to it and to its folder.`, {
      cause: error,
    })
  }
  if (isSqliteCode(error, 'SQLITE_FULL', 'SQLITE_IOERR')) {
    return new StartError(`${path} cannot be used: the disk is full or failing.`, { cause: error })
  }
  return error
}
