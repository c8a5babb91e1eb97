// Copies of a store's file: taken while services write, and put in its place when none does. A copy appears under its
// name only when it is whole, checked and on disk; what is replaced is kept beside it.
//
// Never to be called in a process that has the store open: see the trap in wal-index.ts.

import { Database } from 'bun:sqlite'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../errors.ts'
import { MIGRATIONS } from './connection.ts'
import { isSqliteCode } from './errors.ts'
import { prepareFile } from './file.ts'

export interface Contents {
  pets: number
  keys: number
  bytes: number
}

/** One moment of the store at `path`, in the new file `to`. Throws StartError, and then leaves nothing at `to`. */
export function backUp(path: string, to: string): Contents {
  if (!existsSync(path)) throw new StartError(`There is no store at ${path}.`)
  if (existsSync(to)) throw new StartError(`${to} is there already. Name a new file.`)
  prepareFile(path, MIGRATIONS.length)
  return whole(to, (partial) => {
    const database = new Database(path, { readwrite: true, create: false })
    try {
      database.run('PRAGMA busy_timeout = 10000')
      // A read transaction: writers go on. What they commit after its beginning is not in the copy.
      database.query('VACUUM INTO ?').run(partial)
    } finally {
      database.close()
    }
  })
}

/**
 * The backup at `from` becomes the store at `path`; gives the name under which the store that was there is kept. Throws
 * StartError when a service uses the store, or when the backup is not whole, and then changes nothing.
 */
export function restore(from: string, path: string): Contents & { kept: string | undefined } {
  if (!existsSync(from)) throw new StartError(`There is no backup at ${from}.`)
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0) {
    throw new StartError(`${from} is a store in use, not a backup: take one with petstore backup.`)
  }
  prepareFile(from, MIGRATIONS.length)
  const restoring = `${path}.restoring`
  const contents = whole(restoring, (partial) => copyFileSync(from, partial))
  try {
    const kept = existsSync(path) ? setAside(path) : undefined
    renameSync(restoring, path)
    syncFolder(path)
    return { ...contents, kept }
  } finally {
    rmSync(restoring, { force: true })
  }
}

/** Makes a copy under another name, checks it and syncs it, and only then gives it its own. */
function whole(to: string, make: (partial: string) => void): Contents {
  const partial = `${to}.partial`
  rmSync(partial, { force: true })
  try {
    make(partial)
    const contents = check(partial)
    syncFile(partial)
    renameSync(partial, to)
    syncFolder(to)
    return contents
  } catch (error) {
    throw error instanceof StartError
      ? error
      : new StartError(`${to} could not be written: ${reason(error)}.`, { cause: error })
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
  }
}

function check(path: string): Contents {
  const database = new Database(path, { readonly: true })
  try {
    const [result] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    if (result?.integrity_check !== 'ok') throw new StartError('The backup is damaged: it was not used.')
    const count = (table: string) =>
      database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0
    return { pets: count('pets'), keys: count('keys'), bytes: statSync(path).size }
  } catch (error) {
    if (!isSqliteCode(error, 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR')) throw error
    throw new StartError('The backup is damaged: it was not used.', { cause: error })
  } finally {
    database.close()
  }
}

/** Keeps the store under another name, from where it can be put back, with its log worked in. */
function setAside(path: string): string {
  prepareFile(path, MIGRATIONS.length)
  const kept = `${path}.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  try {
    takeAlone(path)
  } catch (error) {
    if (isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
      throw new StartError(`A service uses ${path}. Stop it first.`, { cause: error })
    }
    // A damaged store is what backups are for: its parts are kept as they are.
    if (!isSqliteCode(error, 'SQLITE_CORRUPT', 'SQLITE_NOTADB')) throw error
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`)
  }
  rmSync(`${path}-shm`, { force: true })
  linkSync(path, kept)
  return kept
}

/** Only possible when no other process has the database open; works the log into the file and removes it. */
function takeAlone(path: string): void {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    database.run('COMMIT')
    database.run('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A name is on disk when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function reason(error: unknown): string {
  const { code } = error as { code?: string }
  return ['ENOSPC', 'SQLITE_FULL'].includes(code ?? '') ? 'the disk is full' : (code ?? String(error))
}
