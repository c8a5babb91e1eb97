// Periodic backups of a running service: shared folders, wrong clocks and stops.

import { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { ask, launcher, type Running, serve, spawnSilent } from '../../../test/support/process.ts'
import { made, rows } from '../../../test/support/stores.ts'
import { watchTimers } from '../../../test/support/timers.ts'
import { until } from '../../../test/support/until.ts'
import { readConfig } from '../../service/src/config/read-config.ts'
import { createLog } from '../../service/src/observability/log.ts'
import { kindOf, openStore } from '../../service/src/store/kinds.ts'
import { isBackupOf, nameAt, startPeriodicBackups } from '../src/periodic-backups.ts'

const alwaysOurs = async () => true
const LINUX = process.platform === 'linux'

/** The number of backups in the log of a service. */
const taken = (service: Running) => service.stderr().split('"msg":"backup"').length - 1

/** Adds so many pets that a backup takes long enough to be interrupted. */
function grow(database: string, pets = 200_000): void {
  const large = new Database(database)
  large.run(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ${pets})
             INSERT INTO pets (name, category_id, status, created_at, created_by)
             SELECT printf('%0200d', i), 1, 'sold', 0, 1 FROM n`)
  large.close()
}

test('reports for how long a backup has been overdue', async () => {
  const folder = dirname(temporaryFile('x'))
  const at = Date.parse('2026-11-22T12:00:00Z')
  const config = readConfig({ PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1h' })
  let now = at
  const { overdueSeconds, stop } = startPeriodicBackups(
    config,
    createLog('silent'),
    () => now,
    async () => true,
  )
  now += 5_000
  // Without any backup, one has been due since the start.
  expect(overdueSeconds?.()).toBe(5)
  writeFileSync(join(folder, 'petstore-20261122T120001Z.db'), '')
  await until('the backup', () => overdueSeconds?.() === 0)
  now = at + 3_600_000 + 601_000
  expect(overdueSeconds?.()).toBe(600)
  await stop()
})

test('a backup belongs to a store that has the same first key and the last event of the backup', async () => {
  const folder = dirname(temporaryFile('x'))
  const { database } = await made(0)
  const copy = (name: string, from = database) => {
    const file = join(folder, name)
    kindOf(from).files?.backUp(from, file)
    return file
  }
  const add = async (to: string) => {
    const store = await openStore(to, { now: Date.now })
    await store.createPet(newPet(), 1n)
    await store.close()
  }
  const isOurs = async (file: string, of = database) => {
    const store = await openStore(of, { now: Date.now })
    const is = await isBackupOf(store, file, readConfig({ PETSTORE_DATABASE: of }))
    await store.close()
    return is
  }
  const [empty, foreign] = [copy('empty.db'), copy('foreign.db', (await made(1)).database)]
  await add(database)
  const one = copy('one.db')
  const sister = temporaryFile('sister.db')
  kindOf(sister).files?.restore(one, sister, 0n)
  await add(sister)
  await add(database)
  const two = copy('two.db')
  writeFileSync(join(folder, 'text.db'), 'Dear diary,')
  symlinkSync('loop.db', join(folder, 'loop.db'))
  expect(Bun.spawnSync(['mkfifo', join(folder, 'pipe.db')]).exitCode).toBe(0)
  for (const [file, ours, ofSister] of [
    [empty, true, true],
    [one, true, true],
    [two, true, false],
    [copy('of-sister.db', sister), false, true],
    [foreign, false, false],
    ...['text.db', 'loop.db', 'pipe.db'].map((name) => [join(folder, name), false, false] as const),
    [join(folder, 'missing.db'), false, false],
  ] as const)
    expect([file, await isOurs(file), await isOurs(file, sister)]).toEqual([file, ours, ofSister])
  expect(await isOurs(database)).toBe(false)
})

test('are taken once per period, and a minute after a failure, which removes no earlier backup', async () => {
  const { database } = await made(1)
  const folder = dirname(temporaryFile('x'))
  const lines: string[] = []
  const log = createLog('info', { destination: { write: (line) => lines.push(JSON.parse(line).msg) } })
  const clock = { at: Date.parse('2026-11-22T12:00:00Z'), reads: 0 }
  const now = () => {
    clock.reads++
    return clock.at
  }
  const { spawn } = Bun
  // A test cannot start itself.
  const started = spyOn(Bun, 'spawn').mockImplementation(((command: string[], options: object) =>
    spawn([launcher, ...command.slice(command.indexOf('backup'))], options)) as typeof spawn)
  const { open, restore } = watchTimers({ intervalMs: 5 })
  const settings = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_KEEP: '1', PETSTORE_BACKUP_EVERY: '1h' }
  const backups = startPeriodicBackups(readConfig({ ...settings, PETSTORE_DATABASE: database }), log, now, alwaysOurs)
  /** Expects exactly these lines after several checks of the folder, and the backup of this hour. */
  async function expectAfter(ms: number, hour: number, ...expected: string[]): Promise<void> {
    clock.at += ms
    await until('there are new lines', () => lines.length >= expected.length)
    const { reads } = clock
    await until('the folder was checked', () => clock.reads > reads + 20)
    expect([lines, readdirSync(folder)]).toEqual([expected, [`petstore-20261122T${hour}0000Z.db`]])
  }
  await expectAfter(0, 12, 'backup')
  await expectAfter(3_599_000, 12, 'backup')
  await expectAfter(1_000, 13, 'backup', 'backup')
  renameSync(database, `${database}.away`)
  await expectAfter(3_600_000, 13, 'backup', 'backup', 'backup failed')
  await expectAfter(59_000, 13, 'backup', 'backup', 'backup failed')
  await expectAfter(1_000, 13, 'backup', 'backup', 'backup failed', 'backup failed')
  await backups.stop()
  expect(open.size).toBe(0)
  restore()
  started.mockRestore()
})

describe.concurrent('periodic backups', () => {
  test('periodic backups are taken periodically, and only the newest are kept; other files in the folder stay', async () => {
    const { database, key } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const [notes, future] = [join(folder, 'petstore-notes.db'), join(folder, nameAt(Date.parse('2099-01-01')))]
    writeFileSync(notes, 'mine')
    // From a time when the clock was wrong.
    kindOf(database).files?.backUp(database, future)
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '2' }
    const service = await serve(['--database', database], { env })
    await until('3 backups are taken', () => taken(service) >= 3)
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(readFileSync(notes, 'utf8')).toBe('mine')
    const kept = readdirSync(folder).filter((name) => join(folder, name) !== notes)
    expect([kept.length, existsSync(future)]).toEqual([3, true])
    for (const name of kept) expect(rows(join(folder, name))[0]?.length).toBe(1)
  })

  test('periodic backups are retried immediately if the clock was moved back by more than a minute after a failure', async () => {
    const folder = temporaryFile('folder')
    const lines: string[] = []
    const log = createLog('info', { destination: { write: (line) => lines.push(line) } })
    const clock = { at: Date.now() }
    const config = readConfig({ PETSTORE_BACKUP_DIR: folder })
    const backups = startPeriodicBackups(config, log, () => clock.at, alwaysOurs)
    rmSync(folder, { recursive: true, force: true })
    await until('the first line is logged', () => lines.length >= 1)
    clock.at -= 3_600_000
    await until('the second line is logged', () => lines.length >= 2)
    await backups.stop()
    for (const line of lines) expect(line).toMatch(/"reason":"[^"]+","msg":"backup failed"/)
  })

  test('periodic backups of two services of one store in one folder are complete and do not fail', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '100' }
    const services = await Promise.all([1, 2].map(() => serve(['--database', database], { env })))
    await until('there are 3 backups', () => readdirSync(folder).filter((name) => name.endsWith('.db')).length >= 3)
    for (const service of services) {
      expect(await service.stop()).toBe(0)
      expect(service.stderr()).not.toContain('backup failed')
    }
    expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([])
    for (const name of readdirSync(folder)) expect(rows(join(folder, name))[0]?.length).toBe(1)
  })

  test('neither count nor remove backups of another store, and log a warning about them', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const backup = join(folder, nameAt(Date.parse('2026-01-01')))
    kindOf(backup).files?.backUp((await made(3)).database, backup)
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '1' }
    const service = await serve(['--database', database], { env })
    await until('two backups are taken', () => taken(service) >= 2)
    expect(await service.stop()).toBe(0)
    const warnings = service.stderr().split('"msg":"backups of another store"').length - 1
    // Once at the start, and once after each backup.
    expect(warnings).toBe(1 + taken(service))
    expect(service.stderr()).not.toContain('backup failed')
    const kept = readdirSync(folder).map((name) => rows(join(folder, name))[0]?.length)
    expect(kept.sort()).toEqual([1, 3])
  })

  test.skipIf(!LINUX)(
    `periodic backups remove the unfinished files of killed backups${LINUX ? '' : ' (Linux only)'}`,
    async () => {
      const [{ database: large }, { database: small }] = [await made(1), await made(1)]
      grow(large, 50_000)
      const folder = dirname(temporaryFile('x'))
      const name = nameAt(Date.parse('2026-01-01'))
      const sqlites = ['mine.db.12-0123abcd.partial', 'petstore.db.12-0123abcd.partial-wal']
      const others = [`${name}.notes.partial`, `${name}.partial`, ...sqlites]
      const left = [`${name}.1-0123abcd.partial`, `${name}.1-0123abcd.partial-wal`]
      for (const name of [...others, ...left]) writeFileSync(join(folder, name), 'x')
      const partials = () =>
        readdirSync(folder).filter((name) => name.includes('.partial') && ![...others, ...left].includes(name))

      // A backup process as a service starts it. It continues if that service is killed.
      const file = join(folder, nameAt(Date.parse('2026-01-02')))
      const writer = spawnSilent('backup', file, '--database', large)
      const hasBytes = () => partials().some((name) => statSync(join(folder, name)).size > 0)
      await until('an unfinished backup has bytes', hasBytes, { everyMs: 1 })
      writer.kill('SIGSTOP')
      const partial = partials().find((name) => name.endsWith('.partial')) as string

      const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s' }
      const service = await serve(['--database', small], { env })
      await until('a backup is taken', () => taken(service) >= 1)
      // The writer is alive and can continue.
      expect(partials()).toContain(partial)
      expect(left.filter((name) => readdirSync(folder).includes(name))).toEqual([])
      writer.kill('SIGKILL')
      const before = taken(service)
      await until('2 more backups are taken', () => taken(service) >= before + 2)
      expect(partials().filter((name) => name.startsWith(partial))).toEqual([])
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(others))
      expect(service.stderr()).toContain(`"file":"${partial}","msg":"unfinished backup removed"`)
      expect(await service.stop()).toBe(0)
    },
  )

  test('periodic backups are cancelled without an error, and leave no file, when the service stops', async () => {
    const { database } = await made(1)
    grow(database)
    const folder = dirname(temporaryFile('x'))
    const service = await serve(['--database', database], { env: { PETSTORE_BACKUP_DIR: folder } })
    await until('the backup begins', () => readdirSync(folder).length !== 0, { everyMs: 1 })
    expect(await service.stop()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect(service.stderr()).not.toContain('backup failed')
  })
})
