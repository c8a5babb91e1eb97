// A disk that is full, fails or cannot be written to, under a real server: no false 201, reads go on, and it recovers by itself.
// A full disk is a small tmpfs (root), failing calls are injected with strace; skipped where these are not to be had.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Clients } from '../../../../endurance/history/clients.ts'
import { isUnanswered } from '../../../../endurance/history/operations.ts'
import { BROKEN_MS, judge } from '../../../../endurance/history/record.ts'
import { inWords } from '../../../../endurance/history/words.ts'
import { KEYS } from '../../../../endurance/history/world.ts'
import { cursorAfter } from '../../../../test/support/cursors.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { ask, type Running, serve } from '../../../../test/support/process.ts'
import { canMount, smallDisk, WHY_SKIPPED } from '../../../../test/support/small-disk.ts'
import { until } from '../../../../test/support/until.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { RETRY_AFTER_S } from '../../src/http/response/error-answer.ts'

const PET = petBody({ name: 'x'.repeat(TEXT_LENGTH_MAX) })
const strace = Bun.which('strace')

const create = ({ url, key }: Running) => ask('POST', `${url}/pets`, key, PET)
const list = ({ url, key }: Running) => ask('GET', `${url}/pets?limit=100`, key)
const idOf = (text: string) => Number(/"id":(\d+)/.exec(text)?.[1])
const codeOf = (text: string) => JSON.parse(text).code

describe.skipIf(!strace)(`calls that fail${strace ? '' : ' (strace is not installed)'}`, () => {
  for (const [description, calls, error] of [
    ['a sync that fails', 'fsync,fdatasync', 'EIO'],
    ['a write that fails', 'pwrite64', 'EIO'],
    ['a write without room', 'pwrite64', 'ENOSPC'],
  ] as const) {
    test(`${description}: 503, nothing is added, lists still work; afterwards creates work, too, without a restart`, async () => {
      const cwd = mkdtempSync(temporaryFile('disk-'))
      const server = await serve([], { cwd })
      expect((await create(server)).status).toBe(201)
      const before = descriptorsOfLog(server.pid)
      const mend = await inject(server.pid, calls, error)
      for (let n = 0; n < 3; n++) {
        const refused = await create(server)
        expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, RETRY_AFTER_S])
        expect(['unavailable', 'storage_full']).toContain(codeOf(refused.text))
        expect((await list(server)).text.match(/"id"/g)).toHaveLength(1)
      }
      await mend()
      const added = await create(server)
      expect(added.status).toBe(201)
      // Nobody knows what a disk that failed has kept: the next create is on a connection of its own.
      if (error === 'EIO') expect(descriptorsOfLog(server.pid)).not.toEqual(before)
      expect((await list(server)).text.match(/"id":\d+/g)).toEqual(['"id":1', `"id":${idOf(added.text)}`])
      await server.stop('SIGKILL')
      checkFile(join(cwd, 'data/petstore.db'), [1, idOf(added.text)])
    })
  }

  test('reads that fail, many at once: 503, and pages again afterwards, without a restart', async () => {
    const cwd = mkdtempSync(temporaryFile('disk-'))
    const server = await serve([], { cwd, env: { PETSTORE_LOG_LEVEL: 'silent' } })
    // More than SQLite keeps in memory.
    const other = new Database(join(cwd, 'data/petstore.db'))
    other.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO pets (name, category_id, status, created_at, created_by) SELECT 'Rex ' || i, i, 'sold', 1, 1 FROM n`)
    other.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const pages = (from: number) =>
      Promise.all(
        Array.from({ length: 32 }, async (_, n) => {
          const cursor = cursorAfter(BigInt(from + n * 3_000))
          return (await ask('GET', `${server.url}/pets?cursor=${cursor}`, server.key)).status
        }),
      )
    expect(new Set(await pages(0))).toEqual(new Set([200]))
    const mend = await inject(server.pid, 'pread64', 'EIO')
    for (let n = 1; n <= 3; n++) expect(await pages(n * 500)).toContain(503)
    await mend()
    expect(new Set(await pages(2_500))).toEqual(new Set([200]))
    expect((await create(server)).status).toBe(201)
    other.close()
    await server.stop('SIGKILL')
  })

  test('syncs that fail now and then under load: after SIGKILL the store has every acknowledged pet and no other', async () => {
    const cwd = mkdtempSync(temporaryFile('disk-'))
    const server = await serve([], { cwd, env: { PETSTORE_LOG_LEVEL: 'silent' } })
    const mend = await inject(server.pid, 'fsync,fdatasync', 'EIO', ':when=3+3')
    const added: number[] = []
    let refused = 0
    const until = performance.now() + 1_500
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() < until || added.length <= 10 || refused <= 10) {
          const { status, text } = await create(server)
          if (status === 201) added.push(idOf(text))
          else if (status === 503) refused++
          else throw new Error(`${status} ${text}`)
        }
      }),
    )
    await mend()
    expect((await create(server)).status).toBe(201)
    await server.stop('SIGKILL')
    checkFile(join(cwd, 'data/petstore.db'), [...added.sort((a, b) => a - b), added.length + 1], 'ids')
  })

  test('syncs that fail while orders change: each transition is made whole or not at all', async () => {
    const cwd = mkdtempSync(temporaryFile('disk-'))
    const server = await serve([], { cwd, env: { PETSTORE_LOG_LEVEL: 'silent' } })
    const fail = () => inject(server.pid, 'fsync,fdatasync', 'EIO', ':when=2+2')
    await expectSoundUnder(server, fail)
    await server.stop('SIGKILL')
  })
})

/** Everything changes under a disk that fails and is mended, a few times: what is answered is explained, and each change there or not at all. */
async function expectSoundUnder(server: Running, fail: () => Promise<() => Promise<void>>) {
  const clients = new Clients({ keys: { first: server.key, wrong: 'none' }, urls: () => [server.url] }, 1, 8)
  const working = clients.work(Number.POSITIVE_INFINITY)
  await until('100 operations are recorded', () => clients.operations.length >= 100)
  const unanswered = () => clients.operations.filter(isUnanswered).length
  for (let n = 1; n <= 3; n++) {
    const mend = await fail()
    await until('enough requests have no answer', () => unanswered() >= n * 5)
    await mend()
    for (const count = clients.operations.length; clients.operations.length < count + 50; ) await Bun.sleep(5)
  }
  clients.stop()
  await working
  const { faults, world } = await judge(clients, { keys: KEYS, lateMs: BROKEN_MS, aheadMs: 0 })
  expect(faults.map(inWords)).toEqual([])
  expect(world.commits.length).toBeGreaterThan(10)
}

/** Which descriptors the process has for SQLite's write-ahead log. */
function descriptorsOfLog(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((name) => readlinkSync(join(folder, name)).endsWith('petstore.db-wal'))
}

describe.skipIf(!canMount)(`a small disk${WHY_SKIPPED}`, () => {
  test('that fills up: 503 storage_full, lists still work; with free space creates work again, without a restart', async () => {
    using disk = smallDisk('size=1m')
    const file = join(disk.folder, 'petstore.db')
    const server = await serve(['--database', file])
    await create(server)
    disk.fill()
    const answers = await Promise.all(Array.from({ length: 400 }, () => create(server)))
    let last = answers.at(-1)
    for (let n = 0; n < 200 && last?.status === 201; n++) last = await create(server)
    expect([last?.status, codeOf(last?.text ?? '')]).toEqual([503, 'storage_full'])
    const before = (await list(server)).text
    expect(before).toContain('"id":1')
    disk.empty()
    const added = await create(server)
    expect(added.status).toBe(201)
    expect(await server.stop()).toBe(0)
    const file2 = new Database(file, { readonly: true })
    expect(file2.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    const acknowledged = answers.filter(({ status }) => status === 201).map(({ text }) => idOf(text))
    const there = new Set((file2.query('SELECT id FROM pets').values() as [number][]).map(([id]) => id))
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
    file2.close()
  })

  test('that fills up while orders change: each transition is made whole or not at all', async () => {
    // Room for the whole write-ahead log, which is 4 MiB before SQLite begins it again.
    using disk = smallDisk('size=16m')
    const file = join(disk.folder, 'petstore.db')
    const server = await serve(['--database', file], { env: { PETSTORE_LOG_LEVEL: 'silent' } })
    await expectSoundUnder(server, async () => {
      disk.fill()
      return async () => disk.empty()
    })
    expect(await server.stop()).toBe(0)
  })

  test('that turns read-only: 503, lists still work; when it is writable again, creates work', async () => {
    using disk = smallDisk('size=8m')
    const { folder } = disk
    const server = await serve(['--database', join(folder, 'petstore.db')])
    expect((await create(server)).status).toBe(201)
    const held = Bun.spawnSync(['mount', '-o', 'remount,ro', folder])
    // The kernel refuses it while a file is open for writing: then the failing calls above are all there is to see.
    if (held.exitCode === 0) expect((await create(server)).status).toBe(503)
    expect((await list(server)).status).toBe(200)
    Bun.spawnSync(['mount', '-o', 'remount,rw', folder])
    expect((await create(server)).status).toBe(201)
    expect(await server.stop()).toBe(0)
  })
})

/** Makes these system calls of the process fail until the function that it resolves with is called. */
async function inject(pid: number, calls: string, error: string, when = ''): Promise<() => Promise<void>> {
  const flags = `-f -o /dev/null -e trace=${calls} -e inject=${calls}:error=${error}${when} -p ${pid}`
  const child = Bun.spawn(['strace', ...flags.split(' ')], { stdio: ['ignore', 'ignore', 'pipe'] })
  // It says which threads it has attached to, once it has.
  const reader = child.stderr.getReader()
  await reader.read()
  await Bun.sleep(200)
  return async () => {
    child.kill('SIGINT')
    await child.exited
  }
}

/** `ids` are exactly what is there; under load ids of failed transactions are given again, so these count only. */
function checkFile(path: string, ids: number[], what: 'all' | 'ids' = 'all'): void {
  const file = new Database(path, { readonly: true })
  expect(file.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  const there = (file.query('SELECT id FROM pets ORDER BY id').values() as [number][]).map(([id]) => id)
  if (what === 'all') expect(there).toEqual(ids)
  else expect(there).toHaveLength(ids.length)
  file.close()
}
