// Runs checkpoints, which copy committed changes from the log into the file so that the log can restart. They run in
// a separate thread, because SQLite's automatic checkpoints run in the thread that commits and block all requests,
// for up to a second after a long read.
//
// A checkpoint copies most frames while writers continue. Writers are held for the last few frames; otherwise the log
// would never restart under constant writes.

import { monotonicMs, startInterval, stopTimer } from '../../../system/runtime.ts'
import type { SqliteConnection } from './connection.ts'
import type { Transactions } from './statements.ts'
import { Thread } from './thread.ts'
import { FRAME_BYTES, logState } from './wal-index.ts'

const LOOK_EVERY_MS = 100
/** The pause after a checkpoint that could not copy everything. */
const AGAIN_MS = 1_000
/** The log is copied when it has this many frames, each with a page of 4 KiB. */
const FRAMES_MIN = 4_000
/** Twice the size that the log needs. A long read can make the log longer; it is then truncated to this size. */
export const LOG_BYTES = 2 * FRAMES_MIN * FRAME_BYTES
/** The log is truncated in pieces, because the commit that restarts it waits for the truncation: 8 MB take 3 ms. */
const CUT_BYTES = 8 * 1024 * 1024

/** The maximum time for which writers wait until readers of the log have ended and the last frames are copied. */
const WRITERS_WAIT_MS_MAX = 20
/** When at most this many frames (1 MB) remain, writers are held until they are copied. */
const REST_MAX = 250
/** Writers are held after this many rounds even if more frames remain: the disk is slower than the writers. */
const ROUNDS_MAX = 10
/** https://sqlite.org/pragma.html#pragma_wal_checkpoint */
const runAs = (mode: string) => `PRAGMA wal_checkpoint(${mode})`

/** A thread starts when the log is first long enough, unless one was started in advance. */
export function startCheckpoints(connection: SqliteConnection, hold: Transactions['hold']) {
  const { filename } = connection.database
  if (filename === ':memory:') return { finish: async () => undefined, stop: async () => undefined }
  const thread = new Thread({ path: filename, readonly: false, waitMs: WRITERS_WAIT_MS_MAX })
  let running: Promise<number | undefined> | undefined
  /** The last commit when everything was copied. The next commit restarts the log. */
  let finished: number | undefined
  let notBefore = 0

  /** Copies while writers continue. Returns whether nearly everything is copied. */
  async function copy(): Promise<boolean> {
    for (let [round, before] = [0, -1]; round < ROUNDS_MAX; round++) {
      const [[, frames, copied] = []] = await thread.query(runAs('NOOP'), [], runAs('PASSIVE'))
      if (Number(frames) - Number(copied) <= REST_MAX) return true
      // A reader needs the older state, or another process is copying.
      if (Number(copied) === before) return false
      before = Number(copied)
    }
    return true
  }

  /** Returns the last commit that is certainly copied; `undefined` if not everything could be copied. */
  async function checkpoint(): Promise<number | undefined> {
    // The thread opens the path, which may lead to another file by now.
    connection.check()
    if (!(await copy())) return undefined
    return hold(async () => {
      // Read before the last step, because another process can commit right after it.
      const { commit } = logState(filename)
      const [[busy] = []] = await thread.query(runAs('RESTART'))
      return busy === 0n ? commit : undefined
    })
  }

  /** Never truncates the frames written last: Litestream copies them after the log has restarted. */
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

  // Errors are ignored: the file may be gone.
  const looking = startInterval(() => look().catch(() => undefined), LOOK_EVERY_MS).unref()
  return {
    /**
     * Copies the log for the last time, and runs no more checkpoints. Rejects if it cannot be copied: SQLite ignores
     * this error when it closes the file.
     */
    async finish() {
      stopTimer(looking)
      thread.ref()
      await running
      try {
        connection.check()
      } catch {
        // The thread opens the path, which may lead to another file by now.
        return
      }
      await thread.query(runAs('PASSIVE'))
    },
    /**
     * Resolves when the thread has closed the file. Close the other connections first: the last one copies the rest of
     * the log and deletes it, which would block the main thread.
     */
    async stop() {
      stopTimer(looking)
      thread.ref()
      await running
      await thread.stop()
    },
  }
}
