// A store whose file is removed, replaced or linked while servers use it: they acknowledge nothing more, and log why.

import { describe, expect, test } from 'bun:test'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { answering, ask, COUNTING, type Running, run, serve } from '../../../../../test/support/process.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { storeWithKey } from '../../../../../test/support/sqlite.ts'
import { made, PET } from '../../../../../test/support/stores.ts'
import { until } from '../../../../../test/support/until.ts'
import { WAIT_MAX_S } from '../../../../contract/src/generated.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { served } from '../restored.ts'

const linesOf = ({ stderr }: Running, message: string) =>
  stderr()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))

const IN_PROCESS = `new (require('bun:sqlite').Database)(process.argv[1]).run(process.argv[2])`

/** In another process, because closing the file in this one would release the locks of SQLite. */
async function overwrite(path: string): Promise<void> {
  const [{ database }, backup] = [await made(1), temporaryFile('backup.db')]
  await run(['backup', backup, '--database', database])
  Bun.spawnSync(['cp', backup, path])
}

function replaceSide(path: string, suffix: string): void {
  rmSync(path + suffix)
  writeFileSync(path + suffix, '')
}

const removeAll = (database: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
}

test.each([
  ['is removed', async (path) => removeAll(path), ' has been removed or renamed'],
  ['is renamed', async (path) => renameSync(path, `${path}.old`), ' has been removed or renamed'],
  ['is replaced', async (path) => renameSync((await made(1)).database, path), ' was replaced by another file'],
  ['loses its log', async (path) => rmSync(`${path}-wal`), '-wal has been removed or renamed'],
  ['loses its index', async (path) => rmSync(`${path}-shm`), '-shm has been removed or renamed'],
  ['gets another log', async (path) => replaceSide(path, '-wal'), '-wal was replaced by another file'],
  ['is overwritten by a backup', overwrite, ' was overwritten by a file that is not in WAL mode'],
] satisfies [string, (path: string) => Promise<void>, string][])(
  '%s rejects every later call, and reports it once',
  async (_, lose, sentence) => {
    const troubles: object[] = []
    const path = temporaryFile('petstore.db')
    const store = await openStore(path, { now: Date.now, onTrouble: (trouble) => troubles.push(trouble) })
    const { id: by } = await store.createKey(newKey())
    await store.ping()
    await lose(path)
    const list = () => store.listPets(petFilter({ limit: 1 }))
    for (const call of [() => store.createPet(newPet(), by), store.ping, list, store.ping])
      expect(await rejectionOf(call())).toMatchObject({ code: 'unavailable' })
    expect(troubles).toEqual([{ lost: true, reason: expect.stringContaining(`${path}${sentence}`) }])
    await store.close().catch(() => undefined)
  },
)

test.each(['-wal', '-shm'])(
  'a store whose file loses %s still has every acknowledged change after it is closed',
  async (suffix) => {
    const { path, store, by } = await storeWithKey()
    await store.createPet(newPet(), by)
    rmSync(path + suffix)
    // Rejects if the log is still there.
    await store.close().catch(() => undefined)
    expect(await served(path)).toBe(1)
  },
)

test('a store whose file is overwritten by a backup is not changed when it is closed, and then rejected because of the log', async () => {
  const { path, store } = await storeWithKey()
  await overwrite(path)
  const overwritten = readFileSync(path)
  expect((await rejectionOf(store.close())).cause).toMatchObject({ message: expect.stringContaining('overwritten') })
  expect(readFileSync(path).equals(overwritten)).toBe(true)
  expect(await served(path)).toContain('petstore restore, which keeps the log')
})

test('a store whose file is checkpointed, vacuumed and read by other processes, and opened again, is not lost', async () => {
  const troubles: object[] = []
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path, { onTrouble: (trouble) => troubles.push(trouble) })
  const inProcess = (sql: string) =>
    expect(Bun.spawnSync([process.execPath, '-e', IN_PROCESS, path, sql]).stderr.toString()).toBe('')
  for (const sql of ['PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM', 'SELECT * FROM pets', 'VACUUM']) {
    inProcess(sql)
    connection.check()
    connection.reopen()
    inProcess('PRAGMA wal_checkpoint(RESTART)')
    connection.check()
  }
  connection.close()
  expect(troubles).toEqual([])
})

test('a store whose file gets a second name serves, and warns once per link', async () => {
  const reasons: string[] = []
  const path = temporaryFile('petstore.db')
  const store = await openStore(path, { now: Date.now, onTrouble: ({ reason }) => reasons.push(reason) })
  for (let links = 1; links <= 2; links++) {
    linkSync(path, `${path}.link`)
    for (let n = 0; n < 2; n++) await store.ping()
    expect(reasons).toEqual(Array(links).fill(expect.stringContaining(`${path} has 2 names (hard links)`)))
    unlinkSync(`${path}.link`)
    await store.ping()
  }
  await store.close()
})

describe.concurrent('a server whose store', () => {
  test('a server whose store is a symbolic link warns about a second name, and responds with 503 once its target changes', async () => {
    const { database, key } = await made(1)
    const [link, other] = [temporaryFile('link.db'), temporaryFile('other.db')]
    symlinkSync(database, link)
    const service = await serve(['--database', link], { env: COUNTING })
    const status = async (method: string, path: string, body?: string) =>
      (await ask(method, new URL(path, service.url).href, key, body)).status
    linkSync(database, `${database}.link`)
    // The server notices it without a request.
    await until('a warning is logged', () => linesOf(service, 'store in danger').length === 1)
    expect([await status('POST', '/v1/pets', PET), await status('GET', '/readyz')]).toEqual([201, 200])
    symlinkSync((await made(1)).database, other)
    const reader = status('GET', `/v1/store/events?from=now&wait=${WAIT_MAX_S}`)
    await answering(service, 1, 'waiting')
    renameSync(other, link)
    expect(await reader).toBe(503)
    await until('the loss is logged', () => linesOf(service, 'store lost').length > 0)
    expect([await status('POST', '/v1/pets', PET), await status('GET', '/readyz')]).toEqual([503, 503])
    expect([await status('GET', '/v1/pets'), await status('GET', '/key')]).toEqual([503, 503])
    expect(await status('GET', '/healthz')).toBe(200)
    expect(linesOf(service, 'store lost')).toEqual([expect.stringContaining(`${link} was replaced by another file`)])
    expect(await service.stop()).toBe(0)
  })
})

test('a connection that is reopened rejects another file', async () => {
  const [{ database }, other] = [await made(1), await made(2)]
  const connection = openConnection(database)
  const before = connection.database
  connection.reopen()
  expect(connection.database).not.toBe(before)
  renameSync(other.database, database)
  const contents = readFileSync(database)
  for (let n = 0; n < 2; n++) expect(() => connection.reopen()).toThrow('cannot be used')
  expect(() => connection.database).toThrow('cannot be used')
  connection.close()
  expect(readFileSync(database).equals(contents)).toBe(true)
})

// Only Linux distributes the connections of a shared port.
test.skipIf(process.platform !== 'linux')(
  'a restarted worker creates no new store in place of a removed one',
  async () => {
    const { database, key } = await made(1)
    const service = await serve(['--workers', '2', '--database', database])
    const workers = () =>
      Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(service.pid)])
        .stdout.toString()
        .match(/\d+/g) ?? []
    removeAll(database)
    process.kill(Number(workers()[0]), 'SIGKILL')
    await until('the end of a worker is logged', () => linesOf(service, 'worker ended').length > 0)
    await until('the loss is logged', () => linesOf(service, 'store lost').length > 0)
    // A worker would be restarted after one second.
    await Bun.sleep(2_500)
    for (let n = 0; n < 6; n++) {
      const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
      expect((await fetch(`${service.url}/pets`, { headers, keepalive: false })).status).toBe(503)
    }
    expect([existsSync(database), workers(), linesOf(service, 'worker ended').length]).toEqual([false, [], 1])
    expect(await service.stop()).toBe(0)
  },
)

test('a store with a given identity is not opened in place of a missing or another file', async () => {
  const [missing, { database }] = [temporaryFile('petstore.db'), await made(1)]
  for (const path of [missing, database]) {
    const refused = await rejectionOf(openStore(path, { now: Date.now, identity: 'another' }))
    expect(refused.message).toBe(`${path} is not the file that the service has opened.`)
  }
  expect(existsSync(missing)).toBe(false)
})
