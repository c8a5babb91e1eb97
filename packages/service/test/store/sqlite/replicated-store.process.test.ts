// A store that Litestream replicates: Litestream adds its own table and holds the log open (docs/backups.md).

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import {
  type Copying,
  freeze,
  installLitestream,
  noLitestream,
  restoreCopy,
  startCopying,
  toFolder,
} from '../../../../../test/support/litestream.ts'
import { petBody } from '../../../../../test/support/pets.ts'
import { ask, run, serve } from '../../../../../test/support/process.ts'
import { made } from '../../../../../test/support/stores.ts'
import { noStrace, straced } from '../../../../../test/support/strace.ts'
import { until } from '../../../../../test/support/until.ts'
import { COPY_HAS_ALL } from '../../../../cli/src/commands/backup.ts'

test('a service and a backup work with a table of another tool and a reader that holds the log', async () => {
  const { database, key } = await made(1)
  const tool = new Database(database)
  tool.run('CREATE TABLE _litestream_lock (id INTEGER)')
  tool.run('BEGIN')
  expect(tool.query('SELECT count(*) AS pets FROM pets').get()).toEqual({ pets: 1 })
  const service = await serve(['--database', database])
  const add = () => ask('POST', `${service.url}/pets`, key, '{"name":"Rex","categoryId":7}')
  expect((await add()).status).toBe(201)
  tool.run('COMMIT')
  const backup = join(dirname(temporaryFile('x')), 'backup.db')
  expect((await run(['backup', backup, '--database', database])).status).toBe(0)
  await service.stop()
  tool.run('UPDATE sqlite_sequence SET seq = seq + 1000000')
  tool.close()
  const again = await serve(['--database', database])
  const { text } = await ask('POST', `${again.url}/pets`, key, '{"name":"New","categoryId":7}')
  expect(JSON.parse(text).id).toBe(1_000_003)
  await again.stop()
})

const lacking = noLitestream || noStrace

test.skipIf(lacking !== '')(
  `Litestream's copy recovers after a service was killed during a commit that Litestream copied${lacking}`,
  async () => {
    await installLitestream()
    const folder = dirname(temporaryFile('x'))
    const { database, key } = await made(1)
    const copying = toFolder(join(folder, 'litestream.yml'), database, join(folder, 'copies'))
    const litestream = await startCopying(copying)
    const killed = () => killWithinCommit(copying, key, litestream)
    for (let attempts = 1; !(await killed()); attempts++) expect(attempts).toBeLessThan(20)
    // Litestream has restarted the log, as it does at 4 MB.
    const service = await serve(['--database', database])
    expect((await ask('POST', `${service.url}/pets`, key, petBody({ name: 'Rex' }))).status).toBe(201)
    const copy = join(folder, 'copy.db')
    for (let isAll = false; !isAll; ) {
      rmSync(copy, { force: true })
      const { status } = await restoreCopy(copying, copy)
      const args = ['check-backup', copy, '--url', service.url, '--api-key', key]
      isAll = status === 0 && (await run(args)).stdout.includes(COPY_HAS_ALL)
    }
    expect(petsIn(copy)).toEqual(petsIn(database))
    const [last, before] = petsIn(copy).reverse()
    expect(last?.id).toBeGreaterThan((before?.id as number) + 256)
    await service.stop()
    litestream.kill()
    await litestream.exited
  },
)

/**
 * Kills the service while its log is synced: the log has a commit that SQLite's index of the log does not have yet.
 * Resolves to `false` if the service was killed at another moment, and otherwise once Litestream has copied the
 * commit.
 */
async function killWithinCommit(copying: Copying, key: string, litestream: Bun.Subprocess): Promise<boolean> {
  const database = copying.env.PETSTORE_DATABASE
  const slow = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=50000']
  const service = await serve(['--database', database], { command: straced(['-D', ...slow]) })
  const frames = () => readFileSync(`${database}-shm`).readUInt32LE(16)
  const log = () => readFileSync(`${database}-wal`)
  const salts = (of: Buffer) => of.toString('hex', 0, 8)
  const isWithin = () => salts(log().subarray(32 + frames() * 4_120 + 8)) === salts(log().subarray(16))
  let stopping = false
  const adding = Array.from({ length: 64 }, async () => {
    const body = () => petBody({ name: `${Math.random()}`.repeat(10) })
    while (!stopping) await ask('POST', `${service.url}/pets`, key, body()).catch(() => undefined)
  })
  try {
    await freeze(litestream, copying)
    await until('the log has 1,500 frames, and more than its index', () => frames() >= 1_500 && isWithin())
  } finally {
    await service.stop('SIGKILL')
    stopping = true
  }
  await Promise.all(adding)
  const [before, within] = [salts(log().subarray(16)), isWithin()]
  litestream.kill('SIGCONT')
  await until('the log begins again', () => !within || salts(log().subarray(16)) !== before)
  return within
}

function petsIn(path: string) {
  using database = new Database(path, { readwrite: true, create: false })
  return database.query<{ id: number; name: string }, []>('SELECT id, name FROM pets').all()
}
