// The database file before SQLite touches it: is it there, is it ours, may we write? Read from its first 100 bytes
// (the format's header), so that a file that is refused stays as it was.

import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../errors.ts'

/** "PETS": what SQLite's application_id says in a file of ours. */
export const APPLICATION_ID = 0x50455453

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

/**
 * Makes sure that `path` is a file of ours, or creates it, empty and readable by its owner only.
 * Throws StartError when it is anything else, is read-only, or was written by a newer petstore.
 */
export function prepareFile(path: string, newestVersion: number): void {
  const stats = statOrUndefined(path)
  if (!stats) {
    createFile(path)
    return
  }
  if (!stats.isFile()) throw new StartError(`${path} is not a file. Name another one with --database.`)
  if ((stats.mode & 0o222) === 0) throw readOnly(path)
  const file = openForWriting(path)
  try {
    if (stats.size > 0) checkHeader(path, file, newestVersion)
  } finally {
    closeSync(file)
  }
}

/** The sentence for a file made by a later version; the schema's version is checked again once SQLite has it open. */
export function newer(path: string, version: number, newest: number): StartError {
  return new StartError(
    `${path} was written by a newer petstore (schema ${version}, this one knows ${newest}). Start that version instead.`,
  )
}

export function corrupt(path: string, cause?: unknown): StartError {
  return new StartError(
    `${path} is damaged. Put it aside and restore a backup, or name another file with --database.`,
    { cause },
  )
}

function checkHeader(path: string, file: number, newestVersion: number): void {
  const header = Buffer.alloc(HEADER_BYTES)
  const read = readSync(file, header, 0, HEADER_BYTES, 0)
  if (read < HEADER_BYTES || header.toString('latin1', 0, 16) !== MAGIC) {
    throw new StartError(`${path} is not a petstore database. Name another file with --database.`)
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StartError(`${path} is a database of another program. Name another file with --database.`)
  }
  const version = header.readUInt32BE(60)
  if (version > newestVersion) throw newer(path, version, newestVersion)
  const pageBytes = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16)
  const complete = fstatSync(file).size >= pageBytes * header.readUInt32BE(28)
  // With a write-ahead log beside it, the rest of the file may still be in the log.
  if (!complete && !existsSync(`${path}-wal`)) throw corrupt(path)
}

function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new StartError(`${path} cannot be created (${codeOf(error)}). Name another file with --database.`, {
      cause: error,
    })
  }
}

function openForWriting(path: string): number {
  try {
    return openSync(path, 'r+')
  } catch (error) {
    throw ['EACCES', 'EROFS', 'EPERM'].includes(codeOf(error)) ? readOnly(path) : error
  }
}

function readOnly(path: string): StartError {
  return new StartError(`${path} is read-only. Let this user write to it, or name another file with --database.`)
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new StartError(`${path} cannot be reached (${codeOf(error)}). Name another file with --database.`, {
      cause: error,
    })
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}
