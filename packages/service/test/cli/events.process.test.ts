// `petstore events`, and `petstore events new-epoch` beside a service that serves the store.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { launcher, run } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { WAIT_MAX_S } from '../../../contract/src/generated.ts'

const cluster = await sharedCluster()

test.each(['a file', 'PostgreSQL'])(
  'a new epoch on %s: every cursor has expired at once, also of those who wait',
  async (kind) => {
    const address = kind === 'a file' ? temporaryFile('petstore.db') : await cluster.newStore()
    const service = await startService({ address, now: Date.now })
    const { headers } = await service.get('/store/events')
    const [, path = ''] = /^<\/v1([^>]*)>/.exec(headers.get('Link') ?? '') ?? []
    const waiting = service.get(`${path}&wait=${WAIT_MAX_S}`)
    await Bun.sleep(100)
    expect(await run(['events', 'new-epoch', '--database', address])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('earlier cursors are refused'),
    })
    expect(JSON.parse((await waiting).text)).toMatchObject({ status: 410, code: 'cursor_expired' })
    expect((await service.get(path)).status).toBe(410)
    expect((await service.get('/store/events')).status).toBe(200)
  },
)

test('petstore events shows what has happened, for people and as JSON, and goes on with what happens', async () => {
  const service = await startService({ now: Date.now })
  const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.key }
  const events = async (...flags: string[]) => (await run(['events', ...flags], { env })).stdout
  for (const name of ['Rex', 'L\\u001buna']) await service.post(`{"name":"${name}","categoryId":7}`)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await service.request('POST', '/store/orders', {
    body: `{"petId":1,"reference":"A\\u001bda","expiresAt":"${expiresAt}"}`,
  })
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  '
  const lines = [
    'pet\\.added        pet 1 available \\(Rex\\), by test\n',
    'pet\\.added        pet 2 available \\(L�una\\), by test\n',
    `order\\.placed     pet 1 pending, order 1, for A�da, until ${expiresAt.slice(0, 19).replace('T', ' ')}Z, by test\n`,
  ].map((line) => time + line)
  expect(await events()).toMatch(new RegExp(`^${lines.join('')}$`))
  expect(await events('--pet', '2')).toMatch(new RegExp(`^${lines[1]}$`))
  expect(await events('--order', '1')).toMatch(new RegExp(`^${lines[2]}$`))
  const none = { status: 0, stdout: '', stderr: 'There are no such events.\n' }
  expect(await run(['events', '--from', 'now'], { env })).toEqual(none)
  const { text } = await service.get('/store/events')
  expect(`[${(await events('--json')).trimEnd().replaceAll('\n', ',')}]`).toBe(text)
  expect(await run(['events', '--from', 'yesterday'], { env })).toMatchObject({ status: 2 })
  const ids = async (...flags: string[]) =>
    (await events('--json', ...flags)).split('\n').flatMap((line) => (line ? Number(JSON.parse(line).id) : []))
  const all = await ids()
  expect(await ids('--newest')).toEqual(all.toReversed())
  expect(await ids('--newest', '--limit', '2')).toEqual(all.toReversed().slice(0, 2))
  expect(await ids('--limit', '1', '--follow')).toEqual(all.slice(0, 1))
  expect(await ids('--to', '2020-01-01T00:00:00Z')).toEqual([])
  expect(await ids('--newest', '--from', '2099-01-01T00:00:00Z')).toEqual([])
  expect(await ids('--type', 'pet.added', 'order.placed')).toEqual(
    (await Promise.all([ids('--type', 'pet.added'), ids('--type', 'order.placed')])).flat().sort((a, b) => a - b),
  )
  for (const flags of [
    ['--type', 'pet.combed'],
    ['--to', 'now'],
    ['--newest', '--follow'],
    ['--limit', '0'],
  ]) {
    expect(await run(['events', ...flags], { env })).toMatchObject({ status: 2 })
  }
  expect((await run(['events', 'secret', '--pet', '2'], { env })).stderr).toContain("nknown option '--pet'")

  const child = Bun.spawn([launcher, 'events', '--follow', '--pet', '2', '--json'], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
  })
  const reader = child.stdout.getReader()
  const next = async () => JSON.parse(new TextDecoder().decode((await reader.read()).value)).type
  expect(await next()).toBe('pet.added')
  await service.request('POST', '/store/orders', { body: '{"petId":2}' })
  expect(await next()).toBe('order.placed')
  child.kill()
  await child.exited
})
