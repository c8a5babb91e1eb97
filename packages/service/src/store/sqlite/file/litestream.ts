// Litestream 0.3 copies commits from the log past SQLite, and may copy wrongly without noticing. Such a copy cannot be restored. Litestream
// begins a whole new copy where the name of the present one is gone; it removes that itself where it notices that it has missed something.

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ASSIGNING } from '../../shared/tables.ts'
import type { SqliteConnection } from '../connect/connection.ts'
import { FRAME_BYTES, logState } from '../connect/wal-index.ts'
import { lastIdOf, setLastId } from './contents.ts'

/** More than one commit gives. */
const LEFT_OUT = 1_000n
/** Before the first frame, and where the first half of the salt stands in it (https://sqlite.org/fileformat2.html#walformat). */
const [LOG_HEADER_BYTES, SALT_AT] = [32, 16]

const folderOf = (path: string) => join(dirname(path), `.${basename(path)}-litestream`)
const nameOf = (path: string) => join(folderOf(path), 'generation')

/**
 * For a service at its start. Litestream may have copied a commit that a killed service has written, and SQLite does not know of yet: other
 * commits take its place in the store.
 */
export function beginNewCopy({ database }: SqliteConnection): void {
  const name = nameOf(database.filename)
  if (!existsSync(name)) return
  try {
    // The commit takes the place of the unknown one in the log, whose ids are given to nobody else.
    const leaveOut = (table: string) => setLastId(database, table, lastIdOf(database, table) + LEFT_OUT)
    database.transaction(() => ASSIGNING.forEach(leaveOut)).immediate()
    rmSync(name, { force: true })
  } catch {
    // A full disk is no reason not to serve. Where the copy is bad, petstore check-backup says so.
  }
}

/**
 * For a service after each commit. Litestream makes the log begin again, and copies the end of the last one only afterwards: when it had to
 * wait, the service may have written over it by then, or have begun yet another log. It then begins a whole new copy. Never throws.
 */
export function copyGuard({ database: { filename } }: SqliteConnection): () => void {
  /** The salts of the log that needs no further look, and of the last one that Litestream had not begun to copy. */
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
      // Litestream changes its files meanwhile. The next commit looks again.
    }
  }
}

/** What Litestream has copied of the newest log that it knows. */
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
