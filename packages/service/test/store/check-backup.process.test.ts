// `petstore check-backup`: good copies, damaged copies, and comparison with a running service.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../../test/support/ended.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { ask, run, serve } from '../../../../test/support/process.ts'
import { add, beside, made } from '../../../../test/support/stores.ts'
import { COPY_HAS_ALL } from '../../../cli/src/commands/backup.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema/schema.ts'

const PETS = 20
const store = await made(PETS)
const key = store.key
const service = await serve(['--database', store.database])
const order = await ask('POST', `${service.url}/store/orders`, key, '{"petId":1}')
expect(order.status).toBe(201)
await ask('DELETE', `${service.url}/pets/2`, key)
const good = temporaryFile('good.db')
expect((await run(['backup', good, '--database', store.database])).status).toBe(0)

const check = (file: string, ...flags: string[]) =>
  run(['check-backup', file, ...flags], { env: { PETSTORE_API_KEY: key } })

/** Copies the good backup and changes it. Like a copy by Litestream, it is in WAL mode without a log. */
function changed(...statements: string[]): string {
  const file = temporaryFile('changed.db')
  copyFileSync(good, file)
  using database = new Database(file, { readwrite: true, create: false })
  database.run('PRAGMA journal_mode = WAL')
  for (const statement of statements) database.run(statement)
  return file
}

describe.concurrent('a copy', () => {
  test('a copy that is good is not changed, even in WAL mode, and its age is readable', async () => {
    const old = changed(`UPDATE events SET at = at - ${367 * 86_400_000}`)
    for (const [file, age] of [
      [good, '[\\d.]+ s'],
      [old, '367 days'],
    ] as const) {
      const before = [readFileSync(file), statSync(file).mtimeMs]
      const { status, stdout, stderr } = await check(file)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(
        new RegExp(` is good up to event 22, of \\d{4}-.*Z, ${age} ago: 19 pets, 1 order and 1 key \\(.* MB\\)\\.\n$`),
      )
      expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before)
      expect(beside(file)).toEqual([])
    }
  })

  test.each([
    ['has wrong counts in its inventory', "UPDATE inventory SET pets = pets + 1 WHERE status = 'sold'"],
    ['has pets that differ from its feed of events', 'DELETE FROM events WHERE pet_id = 3'],
    ['has pets that differ from its feed of events', 'DELETE FROM pets WHERE id = 4'],
    ['has orders that differ from its feed of events', 'DELETE FROM orders'],
    ['has rows that refer to missing rows', 'DELETE FROM keys'],
    [`lacks orders_that_hold of schema ${NEWEST_VERSION}`, 'DROP INDEX orders_that_hold'],
  ])('a copy that %s is rejected: %s', async (fault, statement) => {
    const file = changed('PRAGMA foreign_keys = OFF', statement)
    const { status, stdout, stderr } = await check(file)
    expect([status, stdout, stderr]).toEqual([1, '', `petstore: ${file} ${fault}. Do not restore it.\n`])
  })

  test('a copy of fifty thousand pets is scanned once, not once per pet', async () => {
    const more = 'WITH RECURSIVE more (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM more WHERE n < 51000)'
    const file = changed(
      `${more} INSERT INTO pets SELECT n, name, category_id, status, created_at, created_by FROM pets, more WHERE id = 3`,
      `${more} INSERT INTO events SELECT n, type, at, NULL, key_id, n, pet_status, pet, NULL, NULL, NULL FROM events, more WHERE pet_id = 3`,
    )
    const { stdout, stderr } = await check(file)
    expect([stdout, stderr]).toEqual([expect.stringContaining(': 50020 pets, '), ''])
  })

  test.each([
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 4096)],
    ['empty', (file: string) => truncateSync(file, 0)],
    ['no database', (file: string) => writeFileSync(file, 'x'.repeat(8192))],
    [
      'damaged inside',
      (file: string) => {
        const bytes = readFileSync(file)
        bytes.fill(0x5a, 5 * 4096, 7 * 4096)
        writeFileSync(file, bytes)
      },
    ],
  ])('a copy that is %s is reported as damaged', async (_, damage) => {
    const file = changed()
    damage(file)
    const { status, stderr } = await check(file)
    expect([status, stderr]).toEqual([1, `petstore: ${file} is damaged. Do not restore it.\n`])
  })

  test('a copy that is missing, in use or of another version cannot be checked', async () => {
    const missing = temporaryFile('missing.db')
    const inUse = changed()
    writeFileSync(`${inUse}-wal`, 'x')
    const newer = changed('PRAGMA user_version = 99')
    for (const file of [missing, inUse, newer, '/', 'postgres://localhost/petstore']) {
      expect(await check(file)).toEqual(ended(2, /^petstore: .+\n$/, ''))
    }
    expect(existsSync(missing)).toBe(false)
    const env = { PETSTORE_URL: 'http://127.0.0.1:1', PETSTORE_API_KEY: 'mistyped' }
    expect((await run(['check-backup', good], { env })).status).toBe(2)
  })
})

describe('with a service', () => {
  const url = () => ['--url', service.url]

  test('check-backup with a service compares the copy with the feed and writes a metric of how recent it is', async () => {
    const metrics = temporaryFile('copy.prom')
    const before = Date.now() / 1000
    const same = await check(good, ...url(), '--metrics', metrics)
    expect(same).toEqual({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining(`${COPY_HAS_ALL}\n`),
    })
    const until = () => Number(/^petstore_copy_good_until_seconds (.+)$/m.exec(readFileSync(metrics, 'utf8'))?.[1])
    expect(until()).toBeGreaterThanOrEqual(before)

    await add({ url: service.url, key }, 3)
    const [, , { at }] = JSON.parse((await ask('GET', `${service.url}/store/events?sort=newest&limit=3`, key)).text)
    const older = await check(good, ...url(), '--metrics', metrics)
    expect(older.stdout).toMatch(/The service has that event\. The first one after it is [\d.]+ s old\.\n$/)
    expect(until()).toBe(Date.parse(at) / 1000)
  })

  test('check-backup with a service compares a copy without events', async () => {
    const { database } = await made(0)
    const metrics = temporaryFile('copy.prom')
    const older = await check(database, ...url(), '--metrics', metrics)
    expect(older).toEqual(ended(0, /^$/))
    expect(older.stdout).toMatch(/\nThe backup has no event\. The first one .* s old\.\n$/)
    expect(existsSync(metrics)).toBe(true)
  })

  test('check-backup with a service rejects a copy of another store and leaves the metrics file unchanged', async () => {
    const metrics = temporaryFile('copy.prom')
    const other = changed("UPDATE events SET type = 'pet.changed' WHERE id = 22")
    const ahead = changed('UPDATE events SET id = 1000 WHERE id = 22')
    for (const file of [other, ahead]) {
      expect(await check(file, ...url(), '--metrics', metrics)).toEqual(ended(1, 'The service does not have event '))
    }
    expect(existsSync(metrics)).toBe(false)
  })

  test('check-backup with a service fails with status 2 if the service is unreachable or rejects the key', async () => {
    const gone = await check(good, '--url', 'http://127.0.0.1:1/v1')
    expect([gone.status, gone.stdout]).toEqual([2, ''])
    expect((await check(good, ...url(), '--api-key', 'pets_live_wrong')).status).toBe(2)
    expect((await check(good, '--metrics', '/nowhere/copy.prom')).status).toBe(2)
  })
})

test('restore --if-needed creates a store and its folder from a backup, and otherwise does nothing', async () => {
  const database = join(temporaryFile('machine'), 'data/petstore.db')
  const restore = (file: string) => run(['restore', '--if-needed', file, '--database', database])
  const nothing = (reason: string) => ({ status: 0, stdout: `${reason}; nothing was restored.\n`, stderr: '' })
  expect(await restore(temporaryFile('missing.db'))).toEqual(nothing('There is no backup'))
  expect(existsSync(database)).toBe(false)
  expect((await restore(good)).stdout).toStartWith('Restored 19 pets, 1 order and 1 key')
  const before = readFileSync(database)
  expect(await restore(good)).toEqual(nothing('There is a store already'))
  expect(readFileSync(database)).toEqual(before)
  expect(await run(['restore', good, '--database', join(good, 'petstore.db')])).toEqual(ended(1, /^petstore: .+\n$/))
})
