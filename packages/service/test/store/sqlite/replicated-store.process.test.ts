// A store to which a replication tool has added its own table, as Litestream does, and whose log it holds: what docs/backups.md says of it.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { ask, run, serve } from '../../../../../test/support/process.ts'
import { made } from '../../../../../test/support/stores.ts'

test('a table of another tool and a reader that holds the log disturb neither service nor backup nor copy', async () => {
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
  const copied = await run(['copy', '--from', database, '--to', await (await sharedCluster()).newDatabase()])
  expect([copied.status, copied.stderr]).toEqual([0, ''])
})
