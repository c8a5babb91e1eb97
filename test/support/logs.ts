// The write-ahead log of a store, as another program on the same file lengthens it and looks at it.

import { Database } from 'bun:sqlite'
import { LOG_BYTES } from '../../packages/service/src/store/sqlite/connect/checkpoints.ts'

/** A service copies a log of so many megabytes: it is longer than the log gets without another program. */
export const LONG_LOG_MB = Math.ceil((0.6 * LOG_BYTES) / 1e6)

/** Writes so many megabytes to the log, of which the store keeps nothing. Makes no checkpoint. */
export function lengthen(writer: Database, megabytes: number): void {
  writer.run('PRAGMA busy_timeout = 5000')
  writer.run('PRAGMA wal_autocheckpoint = 0')
  writer.run(`CREATE TABLE filler AS SELECT zeroblob(${megabytes * 1e6})`)
  writer.run('DROP TABLE filler')
}

/** Changes nothing (https://sqlite.org/pragma.html#pragma_wal_checkpoint). */
export function logOf(database: Database): { frames: number; copied: number } {
  const [[, frames = 0, copied = 0] = []] = database
    .query<number[], []>('PRAGMA wal_checkpoint(NOOP)')
    .values() as number[][]
  return { frames, copied }
}

/** Resolves when another connection has copied the whole log. */
export async function copied(database: Database): Promise<void> {
  for (let log = logOf(database); log.copied < log.frames; log = logOf(database)) await Bun.sleep(20)
}

/** Resolves when a service has copied a long log of the store that it serves. */
export async function copiesLog(path: string): Promise<void> {
  using writer = new Database(path)
  lengthen(writer, LONG_LOG_MB)
  await copied(writer)
}
