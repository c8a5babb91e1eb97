// Checks a database file before SQLite opens it: whether it exists, is a store and is writable. Only the header (100
// bytes) is read, so a rejected file stays unchanged.
//
// Do not call these functions in a process that has the store open: when a process closes any descriptor of a file,
// POSIX releases all its locks on the file.

import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemReason } from '../../../../../contract/src/system-reason.ts'
import { StartError } from '../../../domain/start-error.ts'
import { makeFolder, ownershipAdvice } from '../../../system/files.ts'
import { PARTIAL } from '../../../system/partial.ts'
import { UNFINISHED_COPY } from '../../shared/failures.ts'
import { checkVersion, NEWEST_VERSION } from '../schema/schema.ts'
import { identityOf, MODE_AT, NAME_ANOTHER, reached, WAL_MODE } from './guard.ts'

/** "PETS": the application_id of a store's file. */
export const APPLICATION_ID = 0x50455453

/**
 * "PETU": the application_id of the target of an incomplete copy. Versions that do not know it also reject such a
 * file.
 */
export const UNFINISHED_ID = 0x50455455

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
/**
 * Checks that `path` is a store's file, or creates an empty file that only its owner can read. Returns the path with
 * symbolic links resolved. Throws StartError if the file is anything else, is read-only, has a version that cannot be
 * opened, or is next to a log that is not its own. With `identity`, throws if the file is another one and never
 * creates a file.
 */
export function prepareFile(path: string, identity?: string): string {
  const file = realPath(path)
  if (identity !== undefined && identityOf(file) !== identity) {
    throw new StartError(`${path} is not the file that the service has opened.`)
  }
  const stats = statOrUndefined(file)
  checkName(file, stats)
  if (stats) checkWritable(file, stats)
  if (stats?.size) checkHeader(file)
  checkLog(file)
  if (!stats) createFile(file)
  return file
}

/** Returns whether the file is a store of an older schema. Its log can contain a newer one. */
export function isOlder(path: string): boolean {
  if (!statOrUndefined(path)?.isFile()) return false
  const { magic, applicationId, version } = readHeader(path)
  return magic === MAGIC && applicationId === APPLICATION_ID && version > 0 && version < NEWEST_VERSION
}

/** Returns the path of the file's log, unless the log is missing or empty. */
export function logOf(path: string): string | undefined {
  const log = `${realPath(path)}-wal`
  return statOrUndefined(log)?.size ? log : undefined
}

/**
 * Throws StartError if the log next to the file belongs to another file: SQLite would add its changes to this file, or
 * delete it if this file is missing or empty.
 */
export function checkLog(path: string): void {
  const log = foreignLog(path)
  if (!log) return
  const elsewhere = `move the log somewhere else (mv ${log} ${log}.kept).`
  throw new StartError(
    statOrUndefined(path)?.size
      ? `${log} is not the log of ${path}, but SQLite would add its changes to the file. To replace a store with a backup, use petstore restore, which keeps the log. To use ${path} as it is, ${elsewhere}`
      : `${path} is missing, but its log is still there: ${log}. Put the file back, or restore a backup with petstore restore, which keeps the log. For a new store, ${elsewhere}`,
  )
}

/** Returns the path of the log if it does not belong to the file, which is then missing, empty or not in WAL mode. */
export function foreignLog(path: string): string | undefined {
  // In this order, because a process that opens the file changes its header before it writes to the log. The log is
  // looked for again, because a restore removes the log before it replaces the file.
  const isForeign = logOf(path) && !(statOrUndefined(path)?.size && readHeader(path).isWal)
  return isForeign ? logOf(path) : undefined
}

/** Throws StartError unless `path` is a store's file with a version that can be opened. */
export function checkBackup(path: string): void {
  const stats = statOrUndefined(path)
  if (stats) checkIsFile(path, stats)
  checkHeader(path, { isBackup: true })
}

/**
 * Throws StartError if the file at `path` must not be replaced: it is not a regular file, is read-only, or is the
 * database of another program. A damaged file can be replaced.
 */
export function checkReplaceable(path: string): void {
  const stats = statOrUndefined(path)
  if (!stats) return
  checkName(path, stats)
  checkWritable(path, stats)
  const { length, magic, applicationId } = readHeader(path)
  if (length === HEADER_BYTES && magic === MAGIC && !isOurs(applicationId)) throw foreign(path)
}

/**
 * Throws StartError for the unfinished file of a killed command, and for a file with hard links: SQLite derives the name of the log
 * after the file, so services that use different names would lose each other's changes.
 */
export function checkName(path: string, stats: fs.Stats | undefined): void {
  if (PARTIAL.test(path))
    throw new StartError(`${path} is the unfinished file of a backup or a restore. Rename it to use it.`)
  const names = stats?.isFile() ? stats.nlink : 1
  if (names <= 1) return
  throw new StartError(
    `${path} has ${names} names (hard links). Each name has a separate log, so changes would be lost. Keep one name: find / -samefile ${path} lists them.`,
  )
}

/** Resolves symbolic links, because SQLite puts the log next to their target. The file need not exist. */
export function realPath(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch (error) {
    // The target of a link may be missing and is then created. A circle of links is an error.
    const isLink = codeOf(error) === 'ENOENT' && fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    return isLink ? realPath(resolve(fs.realpathSync(dirname(path)), fs.readlinkSync(path))) : path
  }
}

export function corrupt(path: string, cause?: unknown): StartError {
  const log = logOf(path)
  const copied = log ? ` If you copied it here, its log ${log} can be the cause: it belongs to another file.` : ''
  return new StartError(
    `${path} is damaged. Replace it with a backup (petstore restore, which keeps the damaged file), or name another file.${copied}`,
    { cause },
  )
}

export function inUse(path: string, cause?: unknown): StartError {
  return new StartError(`A service uses ${path}. Stop it first.`, { cause })
}

export function unfinished(path: string): StartError {
  return new StartError(`${path} cannot be used: ${UNFINISHED_COPY}.`)
}

function isOurs(applicationId: number): boolean {
  return applicationId === APPLICATION_ID || applicationId === UNFINISHED_ID
}

function foreign(path: string): StartError {
  return new StartError(`${path} is a database of another program. ${NAME_ANOTHER}`)
}

function checkHeader(path: string, { isBackup = false } = {}): void {
  const { length, magic, applicationId, version, bytes, complete } = readHeader(path)
  if (length < HEADER_BYTES || magic !== MAGIC) {
    throw new StartError(`${path} is not a petstore database. ${NAME_ANOTHER}`)
  }
  if (!isOurs(applicationId)) throw foreign(path)
  // The log of a store can have a newer value: see connection.ts.
  if (isBackup && applicationId === UNFINISHED_ID) throw unfinished(path)
  // Checked again when SQLite has opened the file.
  checkVersion(path, version)
  // The rest of a file with a write-ahead log can still be in the log.
  if (bytes < complete && !fs.existsSync(`${path}-wal`)) {
    throw isBackup ? new StartError(`${path} is damaged. ${NAME_ANOTHER}`) : corrupt(path)
  }
}

/** https://sqlite.org/fileformat.html, 1.3. `complete` is the size that the file should have. */
function readHeader(path: string) {
  const file = reached(path, () => fs.openSync(path, 'r'))
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    const length = fs.readSync(file, header, 0, HEADER_BYTES, 0)
    const pageBytes = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16)
    return {
      length,
      magic: header.toString('latin1', 0, 16),
      applicationId: header.readUInt32BE(68),
      version: header.readUInt32BE(60),
      bytes: fs.fstatSync(file).size,
      complete: pageBytes * header.readUInt32BE(28),
      isWal: header.readUInt16BE(MODE_AT) === WAL_MODE,
    }
  } finally {
    fs.closeSync(file)
  }
}

function createFile(path: string): void {
  try {
    makeFolder(dirname(path))
    fs.closeSync(fs.openSync(path, 'a', 0o600))
  } catch (error) {
    const advice = `${ownershipAdvice(dirname(path), error)}${NAME_ANOTHER}`
    throw new StartError(`${path} cannot be created (${systemReason(error)}). ${advice}`, { cause: error })
  }
}

function checkWritable(path: string, stats: fs.Stats): void {
  checkIsFile(path, stats)
  if ((stats.mode & 0o222) === 0) throw readOnly(path)
  reached(path, () => {
    try {
      fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK)
    } catch (error) {
      throw ['EACCES', 'EROFS', 'EPERM'].includes(codeOf(error)) ? readOnly(path) : error
    }
  })
}

function checkIsFile(path: string, stats: fs.Stats): void {
  if (!stats.isFile()) throw new StartError(`${path} is not a file. ${NAME_ANOTHER}`)
}

function readOnly(path: string): StartError {
  return new StartError(`${path} is read-only. Let this user write to it, or name another file.`)
}

export function statOrUndefined(path: string): fs.Stats | undefined {
  return reached(path, () => fs.statSync(path, { throwIfNoEntry: false }))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}
