// Opens a SQLite connection: checks and migrates the file, in WAL mode with a sync at every commit.

import { Database } from 'bun:sqlite'
import { StartError } from '../../../domain/start-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { notCurrent } from '../../shared/schema-versions.ts'
import {
  APPLICATION_ID,
  checkLog,
  checkName,
  corrupt,
  logOf,
  prepareFile,
  statOrUndefined,
  UNFINISHED_ID,
  unfinished,
} from '../file/checks.ts'
import { GuardedConnection, holdOpen, identityOf } from '../file/guard.ts'
import { checkVersion, migrate, NEWEST_VERSION, schemaVersion } from '../schema/schema.ts'
import { startError } from './errors.ts'

/** How long a statement waits for another process's transaction. It blocks the thread. */
export const BUSY_TIMEOUT_MS = 2000

/** Files up to this size are fully checked at startup, in about 10 ms. For larger files only the header is checked. */
const QUICK_CHECK_BYTES_MAX = 16 * 1024 * 1024

export interface SqliteConnection {
  /** `reopen` replaces it. Throws `unavailable` once the file, its log or its index is known to be lost. */
  readonly database: Database
  /** Checks the file, its log and its index now. Throws `unavailable` if one is missing, replaced or overwritten. */
  check(): void
  /** Opens a new connection. If that fails, throws and keeps the old one. No-op for an in-memory store. */
  reopen(): void
  /** Every later call throws `unavailable`. Throws it, too, if the file was overwritten, so the log cannot be copied. */
  close(): void
}

type Opening = Pick<StoreOptions, 'current' | 'onMigration'>

/**
 * `path` is a file, or `:memory:`. Throws StartError if the file is not a store, is damaged, read-only or locked, has
 * a version that cannot be opened, or does not have the given identity.
 */
export function openConnection(
  path: string,
  { identity, onTrouble, ...options }: Opening & Pick<StoreOptions, 'identity' | 'onTrouble'> = {},
): SqliteConnection {
  if (path === ':memory:') {
    const database = openDatabase(path)
    return { database, check() {}, reopen() {}, close: () => database.close() }
  }
  for (;;) {
    const file = prepareFile(path, identity)
    const held = holdOpen(file)
    // Another process has removed the file.
    if (!held) continue
    try {
      if (logOf(file)) checkWithLog(file)
      const open = (options?: Opening) => openDatabase(file, held.identity, options)
      return new GuardedConnection(path, file, held, onTrouble, open(options), open)
    } catch (error) {
      if (identityOf(file) === held.identity) throw error
    }
  }
}

/** Returns the version of the file's schema, 0 if the file does not exist or is empty. Changes nothing. */
export function fileVersion(path: string): number {
  const stats = statOrUndefined(path)
  checkName(path, stats)
  checkLog(path)
  if (!stats || stats.size === 0) return 0
  using database = new Database(path, { readonly: true, strict: true, safeIntegers: true })
  try {
    checkFinished(database, path)
    return schemaVersion(database)
  } catch (error) {
    throw startError(path, error)
  }
}

/** Throws StartError if the file is the target of a copy that an earlier version did not complete. */
export function checkFinished(database: Database, path: string): void {
  if (Number(pragma(database, 'application_id')) === UNFINISHED_ID) throw unfinished(path)
}

/** Throws StartError if the file does not have this identity. */
function openDatabase(path: string, identity = identityOf(path), options: Opening = {}): Database {
  let database: Database | undefined
  try {
    database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
    prepare(database, path, identity, options)
    return database
  } catch (error) {
    database?.close()
    throw startError(path, error)
  }
}

function prepare(database: Database, path: string, identity: string | undefined, options: Opening): void {
  const { current, onMigration = () => undefined } = options
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const version = schemaVersion(database)
  checkInPlace(path, identity)
  checkVersion(path, version)
  checkFinished(database, path)
  const refused = notCurrent(version, NEWEST_VERSION, current)
  if (refused !== undefined) throw new StartError(`${path} ${refused}.`)
  if (version > 0) check(database, path)
  // Set before WAL mode, so that it is written to the file itself and not to the log.
  else database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  database.run('PRAGMA journal_mode = WAL')
  checkInPlace(path, identity)
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  migrate(database, path, onMigration)
  // A thread checkpoints: see checkpoints.ts.
  database.run('PRAGMA wal_autocheckpoint = 0')
  // For statement journals: in a file they take a tenth of a create, and a container may have no temporary folder.
  database.run('PRAGMA temp_store = MEMORY')
}

/**
 * Throws StartError if a backup was restored while this process waited for the lock: its writes would go into the log
 * of the new file. In WAL mode SQLite holds a lock that prevents a restore.
 */
function checkInPlace(path: string, identity: string | undefined): void {
  if (identityOf(path) !== identity) throw new StartError(`${path} was replaced while it was opened. Try again.`)
}

/**
 * Checks a file with a log without changing either. When the last connection that can write is closed, SQLite copies
 * the log into the file and deletes it, even if the log has damaged the file because it belongs to another one.
 */
function checkWithLog(path: string): void {
  using database = new Database(path, { readonly: true, safeIntegers: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    check(database, path)
  } catch (error) {
    throw startError(path, error)
  }
}

function check(database: Database, path: string): void {
  const bytes = Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size'))
  if (bytes <= QUICK_CHECK_BYTES_MAX && pragma(database, 'quick_check') !== 'ok') throw corrupt(path)
}

function pragma(database: Database, name: string): bigint | string {
  return database.query<Record<string, bigint | string>, []>(`PRAGMA ${name}`).values()[0]?.[0] as bigint | string
}
