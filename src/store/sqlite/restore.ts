// A backup takes the place of a store. From before anything changes until the backup has the store's name, this process holds
// the store alone, and there is a file of that name: a service that starts meanwhile waits, and then finds the backup (see
// checkInPlace in connection.ts). Whatever lay there is kept under another name.
//
// Never to be called in a process that has the store open: see the trap in file.ts.

import { constants, Database } from 'bun:sqlite'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../domain/errors.ts'
import { type BackupSummary, checkContents } from './backup.ts'
import { MIGRATIONS } from './connection.ts'
import { isSqliteCode } from './errors.ts'
import { APPLICATION_ID, checkFile, checkReplaceable, realPath } from './file.ts'
import { SIDE_SUFFIXES, syncFile, syncFolderOf, withPartial } from './partial.ts'

const COPY_BYTES = 1024 * 1024

/**
 * The backup at `from` becomes the store at `to`; `kept` are the files in which what was there is kept. Throws StartError when
 * a service uses the store, or when the backup is not whole, and then changes nothing.
 */
export function restore(from: string, to: string): BackupSummary & { kept: string[] } {
  const [backup, path] = [realPath(from), realPath(to)]
  if (!existsSync(backup)) throw new StartError(`There is no backup at ${from}.`)
  if ((statSync(`${backup}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StartError(`${from} is a store in use, not a backup: take one with petstore backup.`)
  }
  checkFile(backup, MIGRATIONS.length)
  checkReplaceable(path)
  return withPartial(path, (partial) => {
    copyBytes(backup, partial)
    const contents = checkContents(partial)
    giveOwner(partial, path)
    syncFile(partial)
    return { ...contents, kept: replace(path, partial) }
  })
}

/** Not by a call that gives the copy the mode of the backup: until it is whole nobody else may read it. */
function copyBytes(from: string, to: string): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'r+')]
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    for (let length = 1; length > 0; ) {
      length = readSync(source, buffer)
      writeFileSync(target, buffer.subarray(0, length))
    }
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

/** Those of the store that is replaced. Where there is none, the owner of the folder, if this user may give files away. */
function giveOwner(file: string, path: string): void {
  const old = statSync(path, { throwIfNoEntry: false })
  const own = statSync(file)
  const { uid, gid } = old ?? (process.getuid?.() === 0 ? statSync(dirname(path)) : own)
  try {
    if (uid !== own.uid || gid !== own.gid) chownSync(file, uid, gid)
  } catch (cause) {
    throw new StartError(`${path} belongs to another user or group. Restore it as its owner, or as root.`, { cause })
  }
  if (old) chmodSync(file, old.mode & 0o777)
}

function replace(path: string, file: string): string[] {
  const kept = `${path}.before-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`
  const made = makeEmpty(path)
  let found: Found | undefined
  let done = false
  const database = openExclusively(path)
  try {
    // Before SQLite looks: it removes a log that does not fit, and that may be all there is of a store that was moved away.
    for (const suffix of ['-wal', '-journal']) if (existsSync(path + suffix)) linkSync(path + suffix, kept + suffix)
    found = takeAlone(database, path)
    if (found !== 'empty') linkSync(path, kept)
    syncFolderOf(path)
    for (const suffix of SIDE_SUFFIXES) rmSync(path + suffix, { force: true })
    renameSync(file, path)
    done = true
  } finally {
    if (!done && made && found === 'empty') rmSync(path)
    database.close()
    if (!done) putBack(path, kept)
  }
  if (found === 'whole') for (const suffix of SIDE_SUFFIXES) rmSync(kept + suffix, { force: true })
  syncFolderOf(path)
  return ['', ...SIDE_SUFFIXES].map((suffix) => kept + suffix).filter((part) => existsSync(part))
}

/** Whether there was no file at `path`, and now is: something to hold. */
function makeEmpty(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * With `unix-excl` the first lock is the exclusive one, before SQLite reads a byte: so a damaged file is held as well
 * (https://sqlite.org/vfs.html, 2.2).
 */
function openExclusively(path: string): Database {
  const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path)}?vfs=unix-excl`, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
}

/** `whole`: everything is in the file itself now, nothing in a log. */
type Found = 'whole' | 'damaged' | 'empty'

/** Keeps other processes from the database until it is closed. Throws StartError when one of them has it open. */
function takeAlone(database: Database, path: string): Found {
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    const empty = statSync(path).size === 0
    // SQLite would remove the log beside an empty file, even when by then it is the log of the restored store.
    if (empty) database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.run('COMMIT')
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    return empty ? 'empty' : 'whole'
  } catch (error) {
    if (isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
      throw new StartError(`A service uses ${path}. Stop it first.`, { cause: error })
    }
    if (!isSqliteCode(error, 'SQLITE_') || isSqliteCode(error, 'SQLITE_READONLY', 'SQLITE_CANTOPEN')) throw error
    return 'damaged'
  }
}

/** The store is where it was; what SQLite removed beside it comes back. */
function putBack(path: string, kept: string): void {
  for (const suffix of SIDE_SUFFIXES) {
    if (!existsSync(kept + suffix)) continue
    if (existsSync(path + suffix)) rmSync(kept + suffix)
    else renameSync(kept + suffix, path + suffix)
  }
  rmSync(kept, { force: true })
}
