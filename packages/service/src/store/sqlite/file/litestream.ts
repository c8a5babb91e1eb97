// Works around Litestream 0.3, which copies commits from the log without SQLite and can make an incorrect copy without
// noticing. Such a copy cannot be restored. Deleting the file `generation` makes Litestream start a new copy; it does
// the same when it notices a gap.

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ASSIGNING } from '../../shared/tables.ts'
import type { SqliteConnection } from '../connect/connection.ts'
import { FRAME_BYTES, logState } from '../connect/wal-index.ts'
import { lastIdOf, setLastId } from './contents.ts'

/** More ids than one commit assigns. */
const LEFT_OUT = 1_000n
/**
 * The header before the first frame, and the position of the first half of the salt in it
 * (https://sqlite.org/fileformat2.html#walformat).
 */
const [LOG_HEADER_BYTES, SALT_AT] = [32, 16]

const folderOf = (path: string) => join(dirname(path), `.${basename(path)}-litestream`)
const nameOf = (path: string) => join(folderOf(path), 'generation')

/**
 * For a service that starts. Litestream may have copied a commit that a killed service wrote and SQLite does not know
 * yet. Other commits would take its place in the store.
 */
export function beginNewCopy({ database }: SqliteConnection): void {
  const name = nameOf(database.filename)
  if (!existsSync(name)) return
  try {
    // This commit replaces the unknown one in the log; the skipped ids may be in use there.
    const leaveOut = (table: string) => setLastId(database, table, lastIdOf(database, table) + LEFT_OUT)
    database.transaction(() => ASSIGNING.forEach(leaveOut)).immediate()
    rmSync(name, { force: true })
  } catch {
    // The service starts even if the disk is full. `petstore check-backup` reports an incorrect copy.
  }
}

/**
 * For a service, after each commit. Litestream restarts the log and copies the rest of the old log afterwards. If it
 * had to wait, the service may already have overwritten that rest or restarted the log again; then this makes
 * Litestream start a new copy. Never throws.
 */
export function copyGuard({ database: { filename } }: SqliteConnection): () => void {
  /**
   * `known`: the salt of the log that needs no further check. `missing`: the salt of the last log that Litestream had
   * not begun to copy.
   */
  let [known, missing]: (number | undefined)[] = []
  return () => {
    const { frames, salt } = logState(filename)
    if (salt === known) return
    try {
      const copy = existsSync(nameOf(filename)) ? newestLog(filename) : undefined
      if (copy && copy.salt !== salt) {
        const isMissed = missing !== undefined && missing !== salt && missing !== copy.salt
        missing = salt
        if (!isMissed && frames <= copy.frames) return
        rmSync(nameOf(filename), { force: true })
      }
      known = salt
      missing = undefined
    } catch {
      // Litestream is changing its files. The next commit checks again.
    }
  }
}

/** How much of the newest log Litestream has copied. */
function newestLog(path: string): { salt: number; frames: number } {
  const folder = join(folderOf(path), 'generations', readFileSync(nameOf(path), 'utf8').trim(), 'wal')
  const logs = readdirSync(folder).filter((file) => file.endsWith('.wal'))
  const log = openSync(join(folder, logs.sort().at(-1) ?? ''), 'r')
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES)
    readSync(log, header)
    return {
      salt: header.readInt32LE(SALT_AT),
      frames: Math.floor((fstatSync(log).size - LOG_HEADER_BYTES) / FRAME_BYTES),
    }
  } finally {
    closeSync(log)
  }
}
