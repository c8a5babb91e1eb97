// Checkpoints of a SQLite store: a thread runs them, and the log stays small.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { copied, LONG_LOG_MB, lengthen, logOf } from '../../../../../test/support/logs.ts'
import { PET, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { until } from '../../../../../test/support/until.ts'
import { LOG_BYTES, startCheckpoints } from '../../../src/store/sqlite/connect/checkpoints.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { Statements, transactions } from '../../../src/store/sqlite/connect/statements.ts'
import { DataVersion } from '../../../src/store/sqlite/connect/wal-index.ts'

test('the serving connection runs no checkpoints, even after it was reopened', () => {
  const connection = openConnection(temporaryFile('petstore.db'))
  const pages = () => connection.database.query('PRAGMA wal_autocheckpoint').values()
  expect(pages()).toEqual([[0n]])
  connection.reopen()
  expect(pages()).toEqual([[0n]])
  connection.close()
})

test('a log that is long is copied into the file without a new version, and then written from its start', async () => {
  const { path, store, by } = await storeWithKey()
  using writer = new Database(path)
  for (let round = 0; round < 2; round++) {
    lengthen(writer, LONG_LOG_MB)
    const version = store.version()
    await copied(writer)
    expect(store.version()).toEqual(version)
    await store.createPet(PET, by)
    expect(logOf(writer).frames).toBeLessThan(100)
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(LOG_BYTES)
  await store.close()
})

test('a log that grew during a long read is truncated after the read, while creates continue', async () => {
  const { path, store, by } = await storeWithKey()
  using writer = new Database(path)
  const reader = new Database(path, { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT 1 FROM pets').get()
  lengthen(writer, 4 * LONG_LOG_MB)
  await store.createPet(PET, by)
  reader.close()
  const { size } = statSync(`${path}-wal`)
  let count = 1
  const add = async () => {
    // Without a limit, a log that is never copied would fill the disk.
    expect(count++).toBeLessThan(10_000)
    await store.createPet(PET, by)
  }
  while (logOf(writer).frames > 1_000) await add()
  // The last frames are still there for tools that copy the log.
  expect(statSync(`${path}-wal`).size).toBeGreaterThanOrEqual(size)
  while (statSync(`${path}-wal`).size > LOG_BYTES) {
    await add()
    await Bun.sleep(10)
  }
  expect(writer.query('SELECT count(*) FROM pets').values()).toEqual([[count]])
  expect(writer.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  await store.close()
})

test('a log of two stores on one file is copied by either of them, and removed when the last one closes', async () => {
  const { path, store, by } = await storeWithKey()
  const other = await storeWithKey(path)
  const writer = new Database(path)
  lengthen(writer, LONG_LOG_MB)
  await copied(writer)
  await store.close()
  lengthen(writer, LONG_LOG_MB)
  await copied(writer)
  writer.close()
  expect((await other.store.createPet(PET, by)).value.id).toBe(1n)
  await other.store.close()
  expect(readdirSync(dirname(path))).toEqual(['petstore.db'])
})

test('commits during a checkpoint are copied while writers are held', async () => {
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path)
  using writer = new Database(path)
  const { promise: held, resolve } = Promise.withResolvers<boolean>()
  const checkpoints = startCheckpoints(connection, async (work) => {
    writer.run('PRAGMA user_version = 1000')
    expect(logOf(writer)).toSatisfy(({ frames, copied }) => copied < frames)
    const done = await work()
    const { frames, copied } = logOf(writer)
    resolve(copied === frames)
    return done
  })
  lengthen(writer, LONG_LOG_MB)
  expect(await held).toBe(true)
  await checkpoints.stop()
  connection.close()
})

test('copies a commit that another process makes right after a checkpoint', async () => {
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path)
  using writer = new Database(path)
  let isFirst = true
  const checkpoints = startCheckpoints(connection, async (work) => {
    const done = await work()
    if (isFirst) lengthen(writer, LONG_LOG_MB)
    isFirst = false
    return done
  })
  lengthen(writer, LONG_LOG_MB)
  await until('the first checkpoint', () => !isFirst)
  await copied(writer)
  await checkpoints.stop()
  connection.close()
})

test('does not checkpoint a log into another file that replaced the store', async () => {
  const path = temporaryFile('petstore.db')
  const other = await storeWithKey()
  await other.store.close()
  const connection = openConnection(path)
  using writer = new Database(path)
  let looks = 0
  const watched = { ...connection, database: connection.database, check: () => ++looks && connection.check() }
  const checkpoints = startCheckpoints(watched, (work) => work())
  lengthen(writer, LONG_LOG_MB)
  // The old log is now next to the other file, and a checkpoint would corrupt it.
  renameSync(path, `${path}.moved`)
  copyFileSync(other.path, path)
  const before = readFileSync(path)
  const isAsItWas = () => readFileSync(path).equals(before)
  await until('the log is looked at or changes', () => looks !== 0 || !isAsItWas())
  await checkpoints.stop()
  expect(isAsItWas()).toBe(true)
  connection.close()
})

test('no transaction begins while transactions are held', async () => {
  const connection = openConnection(temporaryFile('petstore.db'))
  const statements = new Statements(connection)
  const { transact, hold } = transactions(connection, statements, new DataVersion(connection, statements))
  const { promise, resolve } = Promise.withResolvers<string>()
  const holding = hold(() => promise)
  let done = false
  const writing = transact(() => {
    done = true
  })
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  expect(done).toBe(false)
  resolve('copied')
  expect(await holding).toBe('copied')
  await writing
  expect(done).toBe(true)
  connection.close()
})
