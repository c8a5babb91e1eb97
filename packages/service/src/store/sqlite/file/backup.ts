// Backs up a store's file while services write to it. The copy gets its name only when it is complete, checked and
// durable.

import { Database } from 'bun:sqlite'
import { closeSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { systemReason } from '../../../../../contract/src/system-reason.ts'
import { noStoreAt, StartError } from '../../../domain/start-error.ts'
import { syncFile, syncFolderOf } from '../../../system/files.ts'
import { createPartial } from '../../../system/partial.ts'
import { syncSteadily } from '../../../system/steady-sync.ts'
import { checkFinished } from '../connect/connection.ts'
import { isSqliteCode, startError } from '../connect/errors.ts'
import { prepareFile } from './checks.ts'
import { identityOf } from './guard.ts'
import { checkContents } from './integrity.ts'

export const BEGIN_EPOCH = 'UPDATE event_epoch SET epoch = random() & 281474976710655'

/**
 * Writes a consistent copy of the store at `path` to the new file `to`. Throws StartError and leaves no file at `to`
 * if that fails.
 */
export function backUp(path: string, to: string) {
  if (identityOf(path) === undefined) throw noStoreAt(path)
  const store = prepareFile(path)
  return withPartial(to, (partial) => {
    checkFree(to)
    copyTo(partial, store)
    const contents = checkContents(partial)
    // The copy's future events differ from the store's, so cursors must not be valid in both.
    changeAside(partial, (database) => database.run(BEGIN_EPOCH))
    syncFile(partial)
    giveName(partial, to)
    try {
      syncFolderOf(to)
    } catch (error) {
      rmSync(to)
      throw error
    }
    return contents
  })
}

/** Changes a file that no other process uses yet. The caller syncs it afterwards. */
export function changeAside<Result>(path: string, work: (database: Database) => Result): Result {
  using database = new Database(path, { readwrite: true, create: false, safeIntegers: true })
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA journal_mode = MEMORY')
  return work(database)
}

/** Copies in a read transaction, so writers continue; their later commits are not copied. */
function copyTo(partial: string, store: string): void {
  const identity = identityOf(store)
  using database = new Database(store, { readwrite: true, create: false })
  try {
    database.run('PRAGMA busy_timeout = 10000')
    checkFinished(database, store)
    syncSteadily(partial, () => database.query('VACUUM INTO ?').run(partial))
    if (identityOf(store) !== identity) throw new StartError(`${store} was replaced during the backup. Try again.`)
  } catch (error) {
    // These errors can come from either disk.
    const isOfEither = isSqliteCode(error, 'SQLITE_FULL', 'SQLITE_IOERR') || 'syscall' in (error as Error)
    throw isOfEither ? error : startError(store, error)
  }
}

/** Throws StartError if there is a file at `to`, or one next to it that SQLite would apply to the backup. */
function checkFree(to: string): void {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (isThere(to)) throw taken(to)
  const side = SIDE_SUFFIXES.map((suffix) => to + suffix).find(isThere)
  if (side) {
    throw new StartError(`${side} is left over from another database and would ruin the backup. Name another file.`)
  }
}

/**
 * Never overwrites a file that has appeared since. On file systems without hard links only `checkFree` prevents that.
 */
export function giveName(partial: string, to: string): void {
  checkFree(to)
  try {
    linkSync(partial, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(to)
    renameSync(partial, to)
  }
}

function taken(to: string): StartError {
  return new StartError(`${to} already exists. Name a new file.`)
}

/** Suffixes of the files that SQLite can create next to a database. */
export const SIDE_SUFFIXES = ['-wal', '-shm', '-journal']

/**
 * Calls `write` with the path of an empty file next to `to`, named after `name`. Throws StartError if it cannot be
 * written.
 */
export function withPartial<Result>(to: string, write: (partial: string) => Result, name = to): Result {
  try {
    const { path, descriptor } = createPartial(name, 0o600)
    try {
      return write(path)
    } finally {
      removePartial(path, descriptor)
    }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`${to} could not be written: ${reason(error)}.`, { cause: error })
  }
}

/** Removes the rest of a file from `createPartial`. It is already gone if it got its name. */
export function removePartial(path: string, descriptor: number): void {
  for (const suffix of ['', ...SIDE_SUFFIXES]) rmSync(path + suffix, { force: true })
  closeSync(descriptor)
}

function reason(error: unknown): string {
  const { code } = error as { code?: string }
  if (['ENOSPC', 'SQLITE_FULL'].includes(code ?? '')) return 'the disk is full'
  return code === undefined ? String(error) : systemReason(error)
}
