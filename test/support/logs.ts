// The write-ahead log of a store, as another program on the same file sees it.

import { Database } from 'bun:sqlite'
import { LOG_BYTES } from '../../packages/service/src/store/sqlite/connect/checkpoints.ts'
import { until } from './until.ts'

/** A service copies a log of this size into the store. Its own writes never make the log so long. */
export const LONG_LOG_MB = Math.ceil((0.6 * LOG_BYTES) / 1e6)

/** Writes this many megabytes to the log, without a checkpoint and without changing the store. */
export function lengthen(writer: Database, megabytes: number): void {
  writer.run('PRAGMA busy_timeout = 5000')
  writer.run('PRAGMA wal_autocheckpoint = 0')
  writer.run(`CREATE TABLE filler AS SELECT zeroblob(${megabytes * 1e6})`)
  writer.run('DROP TABLE filler')
}

/** Reads the state of the log without a checkpoint (https://sqlite.org/pragma.html#pragma_wal_checkpoint). */
export function logOf(database: Database): { frames: number; copied: number } {
  const [[, frames = 0, copied = 0] = []] = database
    .query<number[], []>('PRAGMA wal_checkpoint(NOOP)')
    .values() as number[][]
  return { frames, copied }
}

/** Resolves when another connection has copied the whole log. */
export async function copied(database: Database): Promise<void> {
  const isCopied = () => {
    const log = logOf(database)
    return log.copied >= log.frames
  }
  await until('the whole log is copied', isCopied, { everyMs: 20, seen: () => logOf(database) })
}

/** Resolves when the service of this store has copied a long log. */
export async function copiesLog(path: string): Promise<void> {
  using writer = new Database(path)
  lengthen(writer, LONG_LOG_MB)
  await copied(writer)
}
