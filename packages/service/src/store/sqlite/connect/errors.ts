// Translates SQLite's errors to domain errors by code, never by message (https://sqlite.org/rescode.html).

import { SQLiteError } from 'bun:sqlite'
import { StartError } from '../../../domain/start-error.ts'
import { storageFull, unavailable } from '../../shared/failures.ts'
import { corrupt } from '../file/checks.ts'

/** Codes of a database that is temporarily unusable. Any other code is a bug of this program. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PROTOCOL|CORRUPT|NOTADB|NOMEM|INTERRUPT|PERM|AUTH)(_|$)/

/** Runs `work`. SQLite errors become `storage_full` or `unavailable`; other errors are rethrown. */
export function translated<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translate(error)
  }
}

/** Returns the domain error for a SQLite error; other errors are returned unchanged. */
export function translate(error: unknown): unknown {
  return error instanceof SQLiteError ? translateCode(error.code ?? '', error) : error
}

/** Like `translate`, for a SQLite error from another thread. */
export function translateCode(code: string, error: Error): Error {
  if (code === 'SQLITE_FULL') return storageFull(error)
  return UNAVAILABLE.test(code) ? unavailable(error) : error
}

export function isSqliteCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof SQLiteError && codes.some((code) => error.code?.startsWith(code))
}

/**
 * Returns the StartError for an error of SQLite or the system while a file is opened; other errors are returned
 * unchanged.
 */
export function startError(path: string, error: unknown): unknown {
  const is = (...codes: string[]) => isSqliteCode(error, ...codes)
  const { code } = error as NodeJS.ErrnoException
  if (is('SQLITE_CORRUPT', 'SQLITE_NOTADB')) return corrupt(path, error)
  const refusal = (sentence: string) => new StartError(`${path} ${sentence}`, { cause: error })
  if (is('SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return refusal('is locked by another process. Stop that process, or name another file.')
  }
  if (is('SQLITE_READONLY', 'SQLITE_CANTOPEN') || ['EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) {
    return refusal('cannot be written to. Let this user write to it and to its folder.')
  }
  if (is('SQLITE_FULL', 'SQLITE_IOERR') || ['ENOSPC', 'EDQUOT', 'EIO'].includes(code ?? '')) {
    return refusal('cannot be used: the disk is full or failing.')
  }
  return error
}
