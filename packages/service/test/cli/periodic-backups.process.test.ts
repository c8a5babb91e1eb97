// Backups that a running service takes by itself: of services that share a folder, with wrong clocks, and at a stop.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { ask, launcher, root, serve } from '../../../../test/support/process.ts'
import { made, rows } from '../../../../test/support/stores.ts'
import { nameAt, startPeriodicBackups } from '../../src/cli/periodic-backups.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { createLog } from '../../src/observability/log.ts'

/** A process whose clock is ahead by a minute with each second. */
const HURRIED = [
  join(root, 'node_modules/.bin/bun'),
  '--preload',
  join(import.meta.dir, '../../../../test/support/clock-hurried.ts'),
  join(root, 'packages/service/src/cli/main.ts'),
]

const LINUX = process.platform === 'linux'

/** So large that a backup of it can be interrupted. */
function grow(database: string, pets = 400_000): void {
  const large = new Database(database)
  large.run(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ${pets})
             INSERT INTO pets (name, category_id, status, created_at, created_by)
             SELECT printf('%0200d', i), 1, 'sold', 0, 1 FROM n`)
  large.close()
}

test('it is known for how long a backup has been due', async () => {
  const folder = dirname(temporaryFile('x'))
  const at = Date.parse('2026-11-22T12:00:00Z')
  const config = readConfig({ PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1h' })
  let now = at
  const { overdueSeconds, stop } = startPeriodicBackups(config, createLog('silent'), () => now)
  await stop()
  now += 5_000
  // Due since the start, while there is none.
  expect(overdueSeconds?.()).toBe(5)
  writeFileSync(join(folder, 'petstore-20261122T120001Z.db'), '')
  expect(overdueSeconds?.()).toBe(0)
  now = at + 3_600_000 + 601_000
  expect(overdueSeconds?.()).toBe(600)
})

describe.concurrent('periodic backups', () => {
  test('are taken periodically; the newest are kept, and other files in the folder stay', async () => {
    const { database, key } = await made(1)
    const folder = dirname(temporaryFile('x'))
    writeFileSync(join(folder, 'petstore-notes.db'), 'mine')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '2' }
    const service = await serve(['--database', database], { env })
    const taken = () => service.stderr().split('"msg":"backup"').length - 1
    while (taken() < 4) await Bun.sleep(50)
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    const kept = readdirSync(folder).filter((name) => name !== 'petstore-notes.db')
    expect(kept.length).toBe(2)
    for (const name of kept) expect(rows(join(folder, name))[0]?.length).toBe(1)
  })

  test('that fail are logged with the reason and repeated; the service continues', async () => {
    const { database, key } = await made(1)
    const folder = temporaryFile('folder')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '24h' }
    const service = await serve(['--database', database], { env, command: HURRIED })
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, 'in the way')
    while (!service.stderr().includes('backup failed')) await Bun.sleep(50)
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    rmSync(folder)
    mkdirSync(folder)
    while (!service.stderr().includes('"msg":"backup"')) await Bun.sleep(50)
    expect(await service.stop()).toBe(0)
  })

  test('that failed are repeated at once when the clock was set back by more than a minute', async () => {
    const folder = temporaryFile('folder')
    const lines: string[] = []
    const log = createLog('info', { destination: { write: (line) => lines.push(line) } })
    const clock = { at: Date.now() }
    const backups = startPeriodicBackups(readConfig({ PETSTORE_BACKUP_DIR: folder }), log, () => clock.at)
    rmSync(folder, { recursive: true })
    while (lines.length < 1) await Bun.sleep(20)
    clock.at -= 3_600_000
    while (lines.length < 2) await Bun.sleep(20)
    await backups.stop()
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['backup failed', 'backup failed'])
  })

  test('of two services of one store in one folder are complete, and none fails', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '100' }
    const services = await Promise.all([1, 2].map(() => serve(['--database', database], { env })))
    while (readdirSync(folder).filter((name) => name.endsWith('.db')).length < 5) await Bun.sleep(50)
    for (const service of services) {
      expect(await service.stop()).toBe(0)
      expect(service.stderr()).not.toContain('backup failed')
    }
    expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([])
    for (const name of readdirSync(folder)) expect(rows(join(folder, name))[0]?.length).toBe(1)
  })

  test('are refused beside the log of another database, and say so', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    for (let second = 0; second < 60; second++) {
      writeFileSync(join(folder, `${nameAt(Date.now() + second * 1_000)}-wal`), 'precious')
    }
    const service = await serve(['--database', database], { env: { PETSTORE_BACKUP_DIR: folder } })
    while (!service.stderr().includes('"msg":"backup')) await Bun.sleep(50)
    expect(service.stderr()).toMatch(/"reason":"[^"]+-wal is left over [^"]+","msg":"backup failed"/)
    expect(await service.stop()).toBe(0)
    expect(readdirSync(folder).filter((name) => !name.endsWith('-wal'))).toEqual([])
  })

  test.skipIf(!LINUX)(
    `that were killed leave files that the next one removes, once their writer is gone${LINUX ? '' : ' (Linux only)'}`,
    async () => {
      const [{ database: large }, { database: small }] = [await made(1), await made(1)]
      grow(large, 100_000)
      const folder = dirname(temporaryFile('x'))
      const name = nameAt(Date.parse('2026-01-01'))
      const others = [
        `${name}.notes.partial`,
        `${name}.partial`,
        'mine.db.12-0123abcd.partial',
        'petstore.db.12-0123abcd.partial-wal',
      ]
      const left = [`${name}.1-0123abcd.partial`, `${name}.1-0123abcd.partial-wal`]
      for (const name of [...others, ...left]) writeFileSync(join(folder, name), 'x')
      const partials = () =>
        readdirSync(folder).filter((name) => name.includes('.partial') && ![...others, ...left].includes(name))

      // As a service starts it, and as it goes on when that service is killed.
      const file = join(folder, nameAt(Date.parse('2026-01-02')))
      const writer = Bun.spawn([launcher, 'backup', file, '--database', large], {
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      while (!partials().some((name) => statSync(join(folder, name)).size > 0)) await Bun.sleep(1)
      writer.kill('SIGSTOP')
      const partial = partials().find((name) => name.endsWith('.partial')) as string

      const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s' }
      const service = await serve(['--database', small], { env })
      const taken = () => service.stderr().split('"msg":"backup"').length - 1
      while (taken() < 1) await Bun.sleep(20)
      // The writer lives, and may go on.
      expect(partials()).toContain(partial)
      expect(left.filter((name) => readdirSync(folder).includes(name))).toEqual([])
      writer.kill('SIGKILL')
      const before = taken()
      while (taken() < before + 2) await Bun.sleep(20)
      expect(partials().filter((name) => name.startsWith(partial))).toEqual([])
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(others))
      expect(service.stderr()).toContain(`"file":"${partial}","msg":"unfinished backup removed"`)
      expect(await service.stop()).toBe(0)
    },
  )

  test('ignore a file that is dated in the future', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const future = nameAt(Date.parse('2099-01-01'))
    writeFileSync(join(folder, future), 'of a wrong clock')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '1' }
    const service = await serve(['--database', database], { env })
    while (service.stderr().split('"msg":"backup"').length < 3) await Bun.sleep(50)
    await service.stop()
    expect(readdirSync(folder).length).toBe(2)
    expect(readFileSync(join(folder, future), 'utf8')).toBe('of a wrong clock')
  })

  test('leave no file and no error when the service stops', async () => {
    const { database } = await made(1)
    grow(database)
    const folder = dirname(temporaryFile('x'))
    const service = await serve(['--database', database], { env: { PETSTORE_BACKUP_DIR: folder } })
    while (readdirSync(folder).length === 0) await Bun.sleep(1)
    expect(await service.stop()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect(service.stderr()).not.toContain('backup failed')
  })
})
