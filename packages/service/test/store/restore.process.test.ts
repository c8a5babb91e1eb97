// Restores: which files replace a store, and which are kept.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { ended } from '../../../../test/support/ended.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { ask, run, serve } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { runOnFile } from '../../../../test/support/sqlite.ts'
import { add, beside, made, PET, rows } from '../../../../test/support/stores.ts'
import { openStore } from '../../src/store/kinds.ts'
import { contents, keptIn, killed, served } from './restored.ts'

const root = process.getuid?.() === 0
const CRASHED = killed(40)

describe.concurrent('a restore', () => {
  test('a restore keeps the previous store, and its mode', async () => {
    const [older, newer] = [await made(3), await made(5)]
    fs.chmodSync(newer.database, 0o640)
    const before = rows(newer.database)
    const { stdout, status } = await run(['restore', older.database, '--database', newer.database])
    expect(status).toBe(0)
    // Ids continue after the ids of the replaced store.
    expect(stdout).toContain('1000000 ids of keys, pets, orders and events were skipped.\nActive keys')
    expect(rows(newer.database)[2]).toContainEqual(['pets', 1_000_005])
    const kept = keptIn(stdout)
    expect(beside(newer.database)).toEqual(kept.map((path) => basename(path)))
    expect(kept.map(rows)).toEqual([before])
    expect(contents(newer.database)).toEqual(contents(older.database))
    expect(fs.statSync(newer.database).mode & 0o777).toBe(0o640)
  })

  test('a restore is rejected while a service uses the store, even if its header is damaged', async () => {
    const [{ database, key }, backup] = [await made(3), await made(1)]
    const restored = () => run(['restore', backup.database, '--database', database])
    const service = await serve(['--database', database])
    expect(await restored()).toEqual(ended(1, 'A service uses'))
    expect((await ask('POST', `${service.url}/pets`, key, PET)).status).toBe(201)
    await service.stop()
    expect(beside(database)).toEqual([])
    expect(rows(database)[0]?.length).toBe(4)
    const again = await serve(['--database', database])
    // Another process writes, for the reason in packages/service/src/store/sqlite/file/checks.ts.
    Bun.spawnSync(['dd', 'if=/dev/urandom', `of=${database}`, 'bs=50', 'count=1', 'conv=notrunc'])
    expect(await restored()).toEqual(ended(1, 'A service uses'))
    await again.stop('SIGKILL')
  })

  test('a restore of a damaged backup or one with an incomplete schema is rejected, and so is serving the latter', async () => {
    const { database } = await made(3)
    const pristine = fs.readFileSync(database)
    const cut = temporaryFile('backup.db')
    fs.writeFileSync(cut, pristine.subarray(0, -4096))
    expect(await run(['restore', cut, '--database', database])).toEqual(ended(1, /is damaged\. Name another file\.$/m))
    for (const [sql, lacks] of [
      ['DROP TABLE orders; DROP TABLE events', /lacks orders, orders_that_hold, .* and \d+ more of schema \d+/],
      ['DROP INDEX pets_by_status', /lacks pets_by_status of schema \d+/],
      ['ALTER TABLE keys RENAME COLUMN ending TO tail', /lacks keys of schema \d+/],
    ] as const) {
      const file = temporaryFile('backup.db')
      fs.writeFileSync(file, pristine)
      const damaged = new Database(file)
      damaged.run('PRAGMA foreign_keys = OFF')
      // The remaining views and triggers can refer to missing tables.
      damaged.run('PRAGMA writable_schema = ON; PRAGMA legacy_alter_table = ON')
      damaged.run(sql)
      damaged.close()
      const { status, stderr } = await run(['restore', file, '--database', database])
      expect([status, stderr]).toEqual([1, expect.stringMatching(lacks)])
      expect(stderr).toEndWith(', so it was not used.\n')
      expect([fs.readFileSync(database).equals(pristine), beside(database)]).toEqual([true, []])
      // A start does not check indexes.
      if (/INDEX/.test(sql)) continue
      expect((await rejectionOf(openStore(file, { now: Date.now }))).message).toMatch(lacks)
    }
  })

  for (const [description, damage] of [
    ['in its header', (bytes) => bytes.fill(0xab, 0, 50)],
    ['after its header', (bytes) => bytes.fill(0xab, 4096)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 4096)],
    ['empty', (bytes) => bytes.subarray(0, 0)],
  ] satisfies [string, (bytes: Buffer) => Buffer][]) {
    test(`replaces a damaged store (${description}) and keeps its files`, async () => {
      const { database: crashed, log } = await CRASHED
      const [database, file] = [temporaryFile('petstore.db'), (await made(3)).database]
      const damaged = damage(fs.readFileSync(crashed))
      fs.writeFileSync(database, damaged)
      fs.writeFileSync(`${database}-wal`, log)
      const { status, stdout } = await run(['restore', file, '--database', database])
      expect(status).toBe(0)
      const kept = keptIn(stdout)
      expect(beside(database).sort()).toEqual(kept.map((path) => basename(path)).sort())
      expect(contents(database)).toEqual(contents(file))
      const keptLog = kept.find((path) => path.endsWith('-wal'))
      // A valid log is checkpointed into the file.
      if (keptLog) expect(fs.readFileSync(keptLog).equals(log)).toBe(true)
      const keptFile = kept.find((path) => !path.endsWith('-wal'))
      if (keptLog && keptFile) expect(fs.readFileSync(keptFile).equals(damaged)).toBe(true)
    })
  }

  test('a restore is not undone by the log of a store that was moved', async () => {
    const database = temporaryFile('petstore.db')
    const file = temporaryFile('backup.db')
    const service = await serve(['--database', database])
    await add(service, 20)
    expect((await run(['backup', file, '--database', database])).status).toBe(0)
    await add(service, 20)
    await service.stop('SIGKILL')
    const moved = temporaryFile('moved.db')
    fs.renameSync(database, moved)
    const { status, stdout } = await run(['restore', file, '--database', database])
    expect(status).toBe(0)
    expect(contents(database)).toEqual(contents(file))
    // The log is kept. Next to its own file it completes the moved store.
    const [log = ''] = keptIn(stdout)
    fs.renameSync(log, `${moved}-wal`)
    expect(rows(moved)[0]?.length).toBe(40)
  })

  test('a restore that fails leaves no empty file, and leaves the log of a store that was moved', async () => {
    const [{ database: backup }, database] = [await made(1), temporaryFile('petstore.db')]
    runOnFile(backup, 'UPDATE sqlite_sequence SET seq = 9223372036854775800')
    fs.writeFileSync(`${database}-wal`, 'commits')
    expect(await run(['restore', backup, '--database', database])).toEqual(ended(1, 'only 7 ids of', ''))
    expect(fs.readdirSync(dirname(database))).toEqual(['petstore.db-wal'])
    expect(fs.readFileSync(`${database}-wal`, 'utf8')).toBe('commits')
  })

  test('through a symbolic link replaces its target', async () => {
    const [{ database }, backup] = [await made(1), await made(2)]
    const link = temporaryFile('link.db')
    fs.symlinkSync(database, link)
    expect((await run(['restore', backup.database, '--database', link])).status).toBe(0)
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
    expect(contents(database)).toEqual(contents(backup.database))
    fs.rmSync(database)
    expect((await run(['restore', backup.database, '--database', link])).status).toBe(0)
    expect(contents(database)).toEqual(contents(backup.database))
  })

  test.skipIf(!root)(
    `a restore by root keeps the owner of the store, or uses the owner of the folder${root ? '' : ' (needs root)'}`,
    async () => {
      const [{ database }, backup] = [await made(1), await made(2)]
      const ownerOf = (path: string) => [fs.statSync(path).uid, fs.statSync(path).gid, fs.statSync(path).mode & 0o777]
      fs.chownSync(database, 65_534, 65_533)
      await run(['restore', backup.database, '--database', database])
      expect(ownerOf(database)).toEqual([65_534, 65_533, 0o600])
      const other = temporaryFile('other.db')
      fs.chownSync(dirname(other), 65_532, 65_531)
      await run(['restore', backup.database, '--database', other])
      expect(ownerOf(other)).toEqual([65_532, 65_531, 0o600])
    },
  )

  test('a restore of an open store is rejected because of its log, and works after the store was closed', async () => {
    const { database } = await made(1)
    const store = await openStore(database, { now: Date.now })
    await store.createPet(newPet(), 1n)
    const restored = () => run(['restore', database, '--database', temporaryFile('a.db')])
    expect(await restored()).toMatchObject({
      status: 1,
      stderr: `petstore: ${database} is a store with changes in its log, ${database}-wal. Back it up with petstore backup.\n`,
    })
    await store.close()
    expect(await restored()).toMatchObject({ status: 0, stdout: expect.stringContaining('2 pets') })
  })

  test('a restore does not replace the database of another program', async () => {
    const { database } = await made(1)
    const other = temporaryFile('other.db')
    new Database(other).run('CREATE TABLE pets (id)')
    const before = fs.readFileSync(other)
    expect(await run(['restore', database, '--database', other])).toEqual(
      ended(1, 'of another program. Name another file.'),
    )
    expect(fs.readFileSync(other).equals(before)).toBe(true)
    expect(beside(other)).toEqual([])
  })

  test('a restore replaces a store of a newer version, and works with a read-only backup', async () => {
    const [{ database }, backup] = [await made(1), await made(2)]
    runOnFile(database, 'PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)')
    fs.chmodSync(backup.database, 0o444)
    const newer = fs.readFileSync(database)
    const { status, stdout } = await run(['restore', backup.database, '--database', database])
    expect(status).toBe(0)
    expect(keptIn(stdout).map((path) => fs.readFileSync(path).equals(newer))).toEqual([true])
    expect(await served(database)).toBe(2)
    const restored = temporaryFile('restored.db')
    expect((await run(['restore', backup.database, '--database', restored])).status).toBe(0)
    expect(fs.statSync(restored).mode & 0o777).toBe(0o600)
  })
})
