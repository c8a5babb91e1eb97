// A store whose file is removed, replaced or linked while servers use it: they acknowledge nothing more, and log why.

import { describe, expect, test } from 'bun:test'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { ask, type Running, serve } from '../../../../../test/support/process.ts'
import { made, PET, rows } from '../../../../../test/support/stores.ts'
import { until } from '../../../../../test/support/until.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'

const linesOf = ({ stderr }: Running, message: string) =>
  stderr()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))

const removeAll = (database: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
}

describe.concurrent('a server whose store', () => {
  for (const [what, lose, sentence] of [
    ['is removed', async (database) => removeAll(database), 'has been removed or renamed'],
    ['is renamed', async (database) => renameSync(database, `${database}.old`), 'has been removed or renamed'],
    [
      'is replaced by another',
      async (database) => renameSync((await made(1)).database, database),
      'was replaced by another file',
    ],
    [
      'is a symbolic link whose target changes',
      async (database) => {
        const other = `${database}.link`
        symlinkSync((await made(1)).database, other)
        renameSync(other, database)
      },
      'was replaced by another file',
    ],
  ] satisfies [string, (database: string) => Promise<void>, string][]) {
    test(`${what} answers 503 to every request within a second, and is not ready`, async () => {
      const link = temporaryFile('link.db')
      const { database: file, key } = await made(1)
      symlinkSync(file, link)
      const database = what.includes('symbolic') ? link : file
      const service = await serve(['--database', database])
      const status = async (method: string, path: string, body?: string) =>
        (await ask(method, new URL(path, service.url).href, key, body)).status
      expect([await status('GET', '/v1/pets'), await status('GET', '/readyz')]).toEqual([200, 200])
      await lose(database)
      // The server notices a removal without a request.
      if (what === 'is removed') await until('the loss is logged', () => linesOf(service, 'store lost').length > 0)
      if (what === 'is renamed') expect(await status('GET', '/readyz')).toBe(503)
      expect(await status('POST', '/v1/pets', PET)).toBe(503)
      expect(await status('GET', '/readyz')).toBe(503)
      expect([await status('GET', '/v1/pets'), await status('GET', '/key')]).toEqual([503, 503])
      expect(await status('GET', '/healthz')).toBe(200)
      await Bun.sleep(1_000)
      const lines = linesOf(service, 'store lost')
      expect(lines).toEqual([expect.stringContaining(sentence)])
      expect(lines[0]).toContain(database)
      expect(await service.stop()).toBe(0)
    })
  }

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

  test('gets a second name keeps serving, and warns once per link', async () => {
    const { database, key } = await made(1)
    const service = await serve(['--database', database])
    const warnings = () => linesOf(service, 'store in danger')
    linkSync(database, `${database}.link`)
    await until('a warning is logged', () => warnings().length === 1)
    await Bun.sleep(1_200)
    unlinkSync(`${database}.link`)
    await Bun.sleep(1_200)
    expect(warnings()).toEqual([expect.stringContaining(`${database} has 2 names (hard links)`)])
    linkSync(database, `${database}.link`)
    await until('a second warning is logged', () => warnings().length === 2)
    expect((await ask('POST', `${service.url}/pets`, key, PET)).status).toBe(201)
    await service.stop()
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

  for (const [what, lose] of [
    ['creates no new store in place of a removed one', removeAll],
    ['does not serve a store that replaced its own', async (to: string) => renameSync((await made(1)).database, to)],
  ] as const) {
    test(what, async () => {
      const { database, key } = await made(1)
      const service = await serve(['--workers', '2', '--database', database])
      const [worker] = workersOf(service)
      await lose(database)
      const there = existsSync(database)
      process.kill(worker as number, 'SIGKILL')
      await until('the end of a worker is logged', () => linesOf(service, 'worker ended').length > 0)
      await Bun.sleep(2_500)
      expect([existsSync(database), workersOf(service)]).toEqual([there, []])
      for (let n = 0; n < 6; n++) {
        const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
        const answer = await fetch(`${service.url}/pets`, { headers, keepalive: false })
        expect(answer.status).toBe(503)
      }
      expect(linesOf(service, 'worker ended').length).toBe(1)
      expect(await service.stop()).toBe(0)
    })
  }

  test('refuses to be the first process of a store', async () => {
    const database = temporaryFile('petstore.db')
    let refusal = ''
    await serve(['--worker', '--database', database]).catch((error: Error) => {
      refusal = error.message
    })
    expect([refusal, existsSync(database)]).toEqual([expect.stringContaining('is not the file'), false])
  })
})
