// SQLite's result codes → our errors. By code, never by words (https://sqlite.org/rescode.html).

import { SQLiteError } from 'bun:sqlite'
import { PetstoreError, StartError } from '../../domain/errors.ts'
import { corrupt } from './file.ts'

/** Codes of a database that cannot be reached or used right now; anything else is a fault of ours. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PROTOCOL|CORRUPT|NOTADB|NOMEM|INTERRUPT|PERM|AUTH)(_|$)/

/** Runs `work`; what SQLite throws becomes `storage_full` or `unavailable`, or passes as unforeseen. */
export function translated<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translate(error)
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error
  const code = error.code ?? ''
  if (code === 'SQLITE_FULL') {
    return new PetstoreError('storage_full', 'The store is full: nothing was changed. Try again later.', { cause: error })
  }
  if (!UNAVAILABLE.test(code)) return error
  return new PetstoreError('unavailable', 'The store cannot be used right now. Try again.', { cause: error })
}

export function isSqliteCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof SQLiteError && codes.some((code) => error.code?.startsWith(code))
}

/** What an opening threw, SQLite's or the system's, as a StartError; what is unforeseen passes. */
export function startError(path: string, error: unknown): unknown {
  const is = (...codes: string[]) => isSqliteCode(error, ...codes)
  const { code } = error as NodeJS.ErrnoException
  if (is('SQLITE_CORRUPT', 'SQLITE_NOTADB')) return corrupt(path, error)
  const says = (sentence: string) => new StartError(`${path} ${sentence}`, { cause: error })
  if (is('SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return says('is locked by another process. Stop that process, or name another file.')
  }
  if (is('SQLITE_READONLY', 'SQLITE_CANTOPEN') || ['EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) {
    return says('cannot be written to. Let this user write to it and to its folder.')
  }
  if (is('SQLITE_FULL', 'SQLITE_IOERR') || ['ENOSPC', 'EDQUOT', 'EIO'].includes(code ?? '')) {
    return says('cannot be used: the disk is full or failing.')
  }
  return error
}
