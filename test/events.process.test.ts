// `petstore events new-epoch`, beside a service that serves the store.

import { expect, test } from 'bun:test'
import { temporaryFile } from './support/files.ts'
import { sharedCluster } from './support/postgres.ts'
import { run } from './support/process.ts'
import { startService } from './support/service.ts'

const cluster = await sharedCluster()

test.each(['a file', 'PostgreSQL'])(
  'a new epoch on %s: every cursor has expired at once, also of those who wait',
  async (kind) => {
    const address = kind === 'a file' ? temporaryFile('petstore.db') : await cluster.newDatabase()
    const service = await startService({ address, now: Date.now })
    const { headers } = await service.get('/store/events')
    const [, path = ''] = /^<\/v1([^>]*)>/.exec(headers.get('Link') ?? '') ?? []
    const waiting = service.get(`${path}&wait=30`)
    await Bun.sleep(100)
    expect(await run(['events', 'new-epoch', '--database', address])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('earlier cursors are refused'),
    })
    expect(JSON.parse((await waiting).text)).toMatchObject({ status: 410, code: 'cursor_expired' })
    expect((await service.get(path)).status).toBe(410)
    expect((await service.get('/store/events')).status).toBe(200)
    await service.stop()
  },
)
