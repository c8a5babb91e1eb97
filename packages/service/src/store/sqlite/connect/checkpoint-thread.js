// The thread of checkpoints.ts. A message has the path of the store's file and asks for one step; the answer is whether it was done.
// JavaScript, since it is started from its text (thread.ts).

import { Database } from 'bun:sqlite'

/** How long writers wait at most while the last frames are copied and readers of the log end. */
const WRITERS_WAIT_MS_MAX = 20
/** 1 MB: so few frames are copied while writers wait. */
const REST_MAX = 250
/** Where a disk is slower than the writers, they have to wait in the end. */
const ROUNDS_MAX = 10

let database

self.onmessage = ({ data: { step, path } }) => {
  try {
    database ??= open(path)
    postMessage(STEPS[step]())
  } catch {
    // Such as a full disk. The next attempt begins with a new connection.
    close()
    postMessage(false)
  }
}

const STEPS = {
  /** Copies beside the writers. Gives whether nearly all is copied. */
  copy() {
    for (let [round, before] = [0, -1]; round < ROUNDS_MAX; round++) {
      run('PASSIVE')
      const { frames, copied } = run('NOOP')
      if (frames - copied <= REST_MAX) return true
      // Somebody reads the store as it was, or another process copies.
      if (copied === before) return false
      before = copied
    }
    return true
  },
  restart: () => run('RESTART').busy === false,
  close,
}

function close() {
  database?.close()
  database = undefined
}

function open(path) {
  const opened = new Database(path, { readwrite: true, create: false })
  opened.run(`PRAGMA busy_timeout = ${WRITERS_WAIT_MS_MAX}`)
  return opened
}

/** https://sqlite.org/pragma.html#pragma_wal_checkpoint */
function run(mode) {
  const [[busy, frames, copied]] = database.query(`PRAGMA wal_checkpoint(${mode})`).values()
  return { busy: busy !== 0, frames, copied }
}
