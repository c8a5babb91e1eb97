// When a service makes Litestream start a new copy. The test has a real log and writes Litestream's files by hand.
// test/deploy.litestream.release.test.ts runs Litestream and restores from its copy.

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { FRAME_BYTES, logState } from '../../../src/store/sqlite/connect/wal-index.ts'
import { copyGuard } from '../../../src/store/sqlite/file/litestream.ts'

const HEADER_BYTES = 32

/** A store, the guard of its copy, and Litestream's files. */
function beside() {
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path)
  const { database } = connection
  const folder = join(dirname(path), `.${basename(path)}-litestream`)
  mkdirSync(join(folder, 'generations/one/wal'), { recursive: true })
  writeFileSync(join(folder, 'generation'), 'one\n')
  const guard = copyGuard(connection)
  let index = 0
  return {
    commit(frames: number) {
      database.run(`CREATE TABLE filler AS SELECT zeroblob(${frames * 4096})`)
      database.run('DROP TABLE filler')
    },
    beginAgain: () => database.run('PRAGMA wal_checkpoint(RESTART)'),
    /** Copies the current log into Litestream's next file. */
    copy() {
      const log = readFileSync(`${path}-wal`).subarray(0, HEADER_BYTES + logState(path).frames * FRAME_BYTES)
      writeFileSync(join(folder, `generations/one/wal/${(index++).toString(16).padStart(8, '0')}.wal`), log)
    },
    isKept() {
      guard()
      return existsSync(join(folder, 'generation'))
    },
  }
}

test('keeps a copy that has something of every log', () => {
  const { commit, beginAgain, copy, isKept } = beside()
  commit(50)
  copy()
  const seen = []
  for (const isSooner of [false, true, false, false, true, true, false]) {
    beginAgain()
    commit(5)
    if (isSooner) copy()
    seen.push(isKept())
    if (!isSooner) copy()
    commit(5)
    seen.push(isKept())
    // Longer than the next log is when it is copied.
    commit(50)
    copy()
  }
  expect(seen).not.toContain(false)
})

test('starts a new copy if the log grows past the copied part of the last one', () => {
  const { commit, beginAgain, copy, isKept } = beside()
  commit(20)
  copy()
  commit(20)
  beginAgain()
  commit(5)
  expect(isKept()).toBe(true)
  commit(100)
  expect(isKept()).toBe(false)
})

test('starts a new copy if nothing of a log was copied', () => {
  const { commit, beginAgain, copy, isKept } = beside()
  commit(50)
  copy()
  beginAgain()
  commit(5)
  expect(isKept()).toBe(true)
  beginAgain()
  commit(5)
  expect(isKept()).toBe(false)
})
