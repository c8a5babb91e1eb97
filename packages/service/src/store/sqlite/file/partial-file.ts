// Writes a file under a temporary, unique name beside its target. Only its owner can read it. It is removed at the
// end, also after a failure.

import { closeSync, rmSync } from 'node:fs'
import { systemReason } from '../../../../../contract/src/system-reason.ts'
import { StartError } from '../../../domain/start-error.ts'
import { createPartial } from '../../../system/partial.ts'

/** Suffixes of the files that SQLite can create beside a database. */
export const SIDE_SUFFIXES = ['-wal', '-shm', '-journal']

/**
 * Calls `write` with the path of an empty file beside `to`, named after `name`. Throws StartError if it cannot be
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

/** Removes what is left of a file from `createPartial`. It is already gone if it got its name. */
export function removePartial(path: string, descriptor: number): void {
  for (const suffix of ['', ...SIDE_SUFFIXES]) rmSync(path + suffix, { force: true })
  closeSync(descriptor)
}

function reason(error: unknown): string {
  const { code } = error as { code?: string }
  if (['ENOSPC', 'SQLITE_FULL'].includes(code ?? '')) return 'the disk is full'
  return code === undefined ? String(error) : systemReason(error)
}
