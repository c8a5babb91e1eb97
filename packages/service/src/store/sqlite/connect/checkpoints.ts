// Checkpoints copy what was committed from the log into the file, so that the log starts again from its beginning. A thread of their own runs them: SQLite
// would run them in the thread that commits, where every request would wait, for a second after somebody has read a snapshot for long.
//
// A checkpoint begins beside the writers. They are held while it copies the little that they have written meanwhile, because a log that is
// always written to would never start again.

import { monotonicMs, startInterval, stopTimer } from '../../../system/runtime.ts'
import type { SqliteConnection } from './connection.ts'
import { Thread } from './thread.ts'
import type { Transactions } from './transaction.ts'
import { FRAME_BYTES, logState } from './wal-index.ts'

const LOOK_EVERY_MS = 100
/** The time after a checkpoint that could not copy all. */
const AGAIN_MS = 1_000
/** A log is copied when it has so many frames, of one page of 4 KiB each. */
const FRAMES_MIN = 4_000
/** Twice what the log needs. A reader may have made it longer; then it is cut, */
export const LOG_BYTES = 2 * FRAMES_MIN * FRAME_BYTES
/** piece by piece, because the commit that starts the log again does it: 8 MB take 3 ms. */
const CUT_BYTES = 8 * 1024 * 1024

/** How long writers wait at most while the last frames are copied and readers of the log end. */
const WRITERS_WAIT_MS_MAX = 20
/** 1 MB: so few frames are copied while writers wait. */
const REST_MAX = 250
/** If a disk is slower than the writers, they have to wait in the end. */
const ROUNDS_MAX = 10
/** https://sqlite.org/pragma.html#pragma_wal_checkpoint */
const runAs = (mode: string) => `PRAGMA wal_checkpoint(${mode})`

/** The thread is not started before the log is long enough for the first time. */
export function startCheckpoints(connection: SqliteConnection, hold: Transactions['hold']) {
  const { filename } = connection.database
  if (filename === ':memory:') return { stop: async () => undefined }
  const thread = new Thread({ path: filename, readonly: false, waitMs: WRITERS_WAIT_MS_MAX })
  let running: Promise<number | undefined> | undefined
  /** The last commit when all was copied. The next one starts the log again. */
  let finished: number | undefined
  let notBefore = 0

  /** Copies beside the writers. Returns whether nearly all is copied. */
  async function copy(): Promise<boolean> {
    for (let [round, before] = [0, -1]; round < ROUNDS_MAX; round++) {
      const [[, frames, copied] = []] = await thread.query(runAs('NOOP'), [], runAs('PASSIVE'))
      if (Number(frames) - Number(copied) <= REST_MAX) return true
      // A reader needs the older state, or another process copies.
      if (Number(copied) === before) return false
      before = Number(copied)
    }
    return true
  }

  /** Returns the last commit that is copied for certain; `undefined` if not all could be copied. */
  async function checkpoint(): Promise<number | undefined> {
    // The thread opens the path, where another file may be meanwhile.
    connection.check()
    if (!(await copy())) return undefined
    return hold(async () => {
      // Before the last step: another process may commit right after it.
      const { commit } = logState(filename)
      const [[busy] = []] = await thread.query(runAs('RESTART'))
      return busy === 0n ? commit : undefined
    })
  }

  /** Never of what was written last: Litestream copies that after the log has started again. */
  function limitLog(logBytes: number, usedBytes: number): void {
    const limit = logBytes > LOG_BYTES ? Math.max(LOG_BYTES, logBytes - CUT_BYTES, usedBytes + CUT_BYTES) : -1
    connection.database.run(`PRAGMA journal_size_limit = ${limit}`)
  }

  async function look(): Promise<void> {
    const logBytes = Bun.file(`${filename}-wal`).size
    const { frames, commit } = logState(filename)
    limitLog(logBytes, frames * FRAME_BYTES)
    if (running || monotonicMs() < notBefore) return
    if (commit === finished || frames < (logBytes > LOG_BYTES ? 1 : FRAMES_MIN)) return
    running = checkpoint().catch(() => undefined)
    finished = await running
    if (finished === undefined) notBefore = monotonicMs() + AGAIN_MS
    running = undefined
  }

  // The file may be lost.
  const looking = startInterval(() => look().catch(() => undefined), LOOK_EVERY_MS).unref()
  return {
    /** Resolves when the thread has closed the file. */
    async stop() {
      stopTimer(looking)
      thread.ref()
      await running
      await thread.stop()
    },
  }
}
