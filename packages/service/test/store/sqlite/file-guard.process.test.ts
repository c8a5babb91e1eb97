// A store whose file is removed, replaced or linked while servers use it: they acknowledge nothing more, and log why.

import { describe, expect, test } from 'bun:test'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { ask, type Running, serve } from '../../../../../test/support/process.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { made, PET, rows } from '../../../../../test/support/stores.ts'
import { until } from '../../../../../test/support/until.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'

const linesOf = ({ stderr }: Running, message: string) =>
  stderr()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))

const removeAll = (database: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
}

describe('a store whose file', () => {
  test.each([
    ['is removed', async (path) => removeAll(path), 'has been removed or renamed'],
    ['is renamed', async (path) => renameSync(path, `${path}.old`), 'has been removed or renamed'],
    ['is replaced', async (path) => renameSync((await made(1)).database, path), 'was replaced by another file'],
  ] satisfies [string, (path: string) => Promise<void>, string][])(
    '%s refuses every call from then on, and reports it once',
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
      expect(troubles).toEqual([{ lost: true, reason: expect.stringContaining(`${path} ${sentence}`) }])
      await store.close()
    },
  )

  test('gets a second name serves, and warns once per link', async () => {
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
})

describe.concurrent('a server whose store', () => {
  test('is a symbolic link warns about a second name, and answers 503 once its target changes', async () => {
    const { database, key } = await made(1)
    const [link, other] = [temporaryFile('link.db'), temporaryFile('other.db')]
    symlinkSync(database, link)
    const service = await serve(['--database', link])
    const status = async (method: string, path: string, body?: string) =>
      (await ask(method, new URL(path, service.url).href, key, body)).status
    linkSync(database, `${database}.link`)
    // The server notices it without a request.
    await until('a warning is logged', () => linesOf(service, 'store in danger').length === 1)
    expect([await status('POST', '/v1/pets', PET), await status('GET', '/readyz')]).toEqual([201, 200])
    symlinkSync((await made(1)).database, other)
    renameSync(other, link)
    await until('the loss is logged', () => linesOf(service, 'store lost').length > 0)
    expect([await status('POST', '/v1/pets', PET), await status('GET', '/readyz')]).toEqual([503, 503])
    expect([await status('GET', '/v1/pets'), await status('GET', '/key')]).toEqual([503, 503])
    expect(await status('GET', '/healthz')).toBe(200)
    expect(linesOf(service, 'store lost')).toEqual([expect.stringContaining(`${link} was replaced by another file`)])
    expect(await service.stop()).toBe(0)
  })

  test('is replaced does not damage the new store, even when it stops', async () => {
    const [{ database }, other] = [await made(1), await made(2)]
    const service = await serve(['--database', database])
    await ask('GET', `${service.url}/pets`, other.key)
    removeAll(database)
    renameSync(other.database, database)
    const next = await serve(['--database', database])
    expect((await ask('POST', `${next.url}/pets`, other.key, PET)).status).toBe(201)
    expect(await service.stop()).toBe(0)
    expect((await ask('POST', `${next.url}/pets`, other.key, PET)).status).toBe(201)
    await next.stop('SIGKILL')
    expect(rows(database)[0]?.length).toBe(4)
  })
})

test('a connection that is reopened refuses another file', async () => {
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
describe.skipIf(process.platform !== 'linux').concurrent('a restarted worker', () => {
  const workersOf = ({ pid }: Running) =>
    Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)])
      .stdout.toString()
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map(Number)

  test('creates no new store in place of a removed one', async () => {
    const { database, key } = await made(1)
    const service = await serve(['--workers', '2', '--database', database])
    const [worker] = workersOf(service)
    removeAll(database)
    process.kill(worker as number, 'SIGKILL')
    await until('the end of a worker is logged', () => linesOf(service, 'worker ended').length > 0)
    await Bun.sleep(2_500)
    expect([existsSync(database), workersOf(service)]).toEqual([false, []])
    for (let n = 0; n < 6; n++) {
      const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
      const answer = await fetch(`${service.url}/pets`, { headers, keepalive: false })
      expect(answer.status).toBe(503)
    }
    expect(linesOf(service, 'worker ended').length).toBe(1)
    expect(await service.stop()).toBe(0)
  })
})

test('a store with a given identity is not opened in place of a missing or another file', async () => {
  const [missing, { database }] = [temporaryFile('petstore.db'), await made(1)]
  for (const path of [missing, database]) {
    const refused = await rejectionOf(openStore(path, { now: Date.now, identity: 'another' }))
    expect(refused.message).toBe(`${path} is not the file that the service has opened.`)
  }
  expect(existsSync(missing)).toBe(false)
})
