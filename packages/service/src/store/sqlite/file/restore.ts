// Replaces a store with a backup, and keeps the previous store under another name. Throughout, a file with the
// store's name exists and this process holds its exclusive lock, so a service that starts in the meantime waits and then
// uses the backup (see checkInPlace in connection.ts).

import { constants, Database } from 'bun:sqlite'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { systemReason } from '../../../../../contract/src/system-reason.ts'
import type { ApiKey } from '../../../domain/keys.ts'
import { orStartError, StartError } from '../../../domain/start-error.ts'
import { exchange, makeFolder, syncFile, syncFolderOf } from '../../../system/files.ts'
import { wallMs } from '../../../system/runtime.ts'
import { syncSteadily } from '../../../system/steady-sync.ts'
import { isSqliteCode } from '../connect/errors.ts'
import { changeAside, SIDE_SUFFIXES, withPartial } from './backup.ts'
import { APPLICATION_ID, checkBackup, checkReplaceable, foreignLog, inUse, realPath } from './checks.ts'
import { lastIdOf } from './contents.ts'
import { checkContents, findCopy } from './integrity.ts'
import { keysIn, type LastIds, recoverRows } from './recovery.ts'

const COPY_BYTES = 1024 * 1024

/**
 * Makes the backup at `from` the store at `to`, and skips `skipIds` ids after the last ids of both stores. If a
 * service uses the store or the backup is damaged, throws StartError and changes nothing.
 */
export function restore(from: string, to: string, skipIds: bigint) {
  const [backup, path] = [findCopy(from), realPath(to)]
  checkBackup(backup)
  checkReplaceable(path)
  orStartError(
    () => makeFolder(dirname(path)),
    (reason) => `${to} cannot be created (${reason}).`,
  )
  const kept = `${path}.before-${new Date(wallMs()).toISOString().replaceAll(/[-:.]/g, '')}`
  const write = (partial: string) => {
    syncSteadily(partial, () => copyBytes(backup, partial))
    const contents = checkContents(partial)
    giveOwner(partial, path)
    const replaced = replace(path, partial, kept, (lastIds) => {
      const known = changeAside(partial, (database) => {
        database.transaction(recoverRows)(database, from, skipIds, lastIds)
        return keysIn(database)
      })
      syncFile(partial)
      return known
    })
    return { ...contents, ...replaced }
  }
  return withPartial(path, write, kept)
}

/** Does not copy the backup's mode, because only the owner may read an incomplete copy. */
function copyBytes(from: string, to: string): void {
  const [source, target] = [fs.openSync(from, 'r'), fs.openSync(to, 'r+')]
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    for (let length = 1; length > 0; ) {
      length = fs.readSync(source, buffer)
      fs.writeFileSync(target, buffer.subarray(0, length))
    }
  } finally {
    fs.closeSync(source)
    fs.closeSync(target)
  }
}

/**
 * `kept` is the name for the previous store. `finish` completes the file, given the previous store's last ids, and
 * returns the keys of the restored store.
 */
function replace(path: string, file: string, kept: string, finish: (lastIds: LastIds) => ApiKey[]) {
  const made = makeEmpty(path)
  let found: Found | undefined
  let known: ApiKey[]
  let done = false
  const database = openExclusively(path)
  // SQLite adds such a log to the file, or deletes it, but it can be all that is left of a store that was moved away.
  const isForeign = foreignLog(path) !== undefined
  const keep = isForeign ? fs.renameSync : fs.linkSync
  try {
    // Before SQLite reads the store.
    for (const suffix of ['-wal', '-journal']) if (fs.existsSync(path + suffix)) keep(path + suffix, kept + suffix)
    found = takeAlone(database, path)
    // The last ids cannot be read if the store is empty or damaged.
    known = finish((table) =>
      tryOr(
        () => lastIdOf(database, table),
        () => 0n,
      ),
    )
    syncFolderOf(path)
    for (const suffix of SIDE_SUFFIXES) fs.rmSync(path + suffix, { force: true })
    if (found === 'empty') fs.renameSync(file, path)
    else swap(file, path, kept)
    done = true
  } finally {
    if (!done && made && found === 'empty') fs.rmSync(path)
    database.close()
    if (!done) putBack(path, kept)
  }
  if (found === 'whole' && !isForeign) for (const suffix of SIDE_SUFFIXES) fs.rmSync(kept + suffix, { force: true })
  return {
    known,
    /** The files of the previous store. */
    kept: ['', ...SIDE_SUFFIXES].map((suffix) => kept + suffix).filter((part) => fs.existsSync(part)),
    /** The reason if the new file names may not survive a power failure. */
    unsynced: tryOr<string | undefined>(() => void syncFolderOf(path), systemReason),
  }
}

function tryOr<Result>(work: () => Result, otherwise: (error: unknown) => Result): Result {
  try {
    return work()
  } catch (error) {
    return otherwise(error)
  }
}

/** Creates an empty file to lock. Returns `false` if there is already a file. */
function makeEmpty(path: string): boolean {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * With `unix-excl`, SQLite takes the exclusive lock before it reads anything, so a damaged file can be locked, too
 * (https://sqlite.org/vfs.html, 2.2).
 */
function openExclusively(path: string): Database {
  const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path)}?vfs=unix-excl`, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
}

/** `whole`: the file contains everything, and the log is empty. */
type Found = 'whole' | 'damaged' | 'empty'

/** Locks the database until it is closed. Throws StartError if another process has it open. */
function takeAlone(database: Database, path: string): Found {
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    const empty = fs.statSync(path).size === 0
    // Otherwise SQLite would delete the log next to the empty file, which may belong to the restored store by then.
    if (empty) database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.run('COMMIT')
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    return empty ? 'empty' : 'whole'
  } catch (error) {
    if (isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) {
      throw inUse(path, error)
    }
    if (!isSqliteCode(error, 'SQLITE_') || isSqliteCode(error, 'SQLITE_READONLY', 'SQLITE_CANTOPEN')) throw error
    return 'damaged'
  }
}

/** After a failure: puts back the files that SQLite has removed next to the store. The store itself was not moved. */
function putBack(path: string, kept: string): void {
  for (const suffix of SIDE_SUFFIXES) {
    if (!fs.existsSync(kept + suffix)) continue
    if (fs.existsSync(path + suffix)) fs.rmSync(kept + suffix)
    else fs.renameSync(kept + suffix, path + suffix)
  }
  fs.rmSync(kept, { force: true })
}

/**
 * Gives the file the owner, group and mode of the previous store. If there was none, root gives it the owner and group
 * of the folder.
 */
function giveOwner(file: string, path: string): void {
  const old = fs.statSync(path, { throwIfNoEntry: false })
  const own = fs.statSync(file)
  const { uid, gid } = old ?? (process.getuid?.() === 0 ? fs.statSync(dirname(path)) : own)
  try {
    if (uid !== own.uid || gid !== own.gid) fs.chownSync(file, uid, gid)
  } catch (cause) {
    throw new StartError(`${path} belongs to another user or group. Restore it as its owner, or as root.`, { cause })
  }
  if (old) fs.chmodSync(file, old.mode & 0o777)
}

/** Renames `path` to `kept` and `file` to `path`. If the process is killed in between, each file still has a name. */
function swap(file: string, path: string, kept: string): void {
  if (!exchange(file, path)) {
    // Between these calls the store has two names, so checks.ts does not open it.
    fs.linkSync(path, kept)
    fs.renameSync(file, path)
    return
  }
  try {
    fs.renameSync(file, kept)
  } catch (error) {
    exchange(file, path)
    throw error
  }
}
