// `petstore keys …` while a service runs on the same store.

import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { ended } from '../../../test/support/ended.ts'
import { atEndOfFile, temporaryFile } from '../../../test/support/files.ts'
import { petBody } from '../../../test/support/pets.ts'
import { ask, launcher, run, serve } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { DAY_MS, runOnFile } from '../../../test/support/sqlite.ts'
import { until } from '../../../test/support/until.ts'
import { migrateStore } from '../../service/src/store/kinds.ts'

const file = temporaryFile('petstore.db')
const env = { PETSTORE_DATABASE: file }
const service = await serve([], { env })

const keys = (...args: string[]) => run(['keys', ...args], { env })
const list = async (): Promise<Record<string, unknown>[]> => JSON.parse((await keys('list', '--json')).stdout)
const statusWith = async (key: string) => (await ask('GET', `${service.url}/pets`, key)).status

async function create(...args: string[]): Promise<string> {
  const { stdout, status } = await keys('create', ...args)
  expect(status).toBe(0)
  expect(stdout).toMatch(/^pets_(live|test)_\w{28}\n$/)
  return stdout.trim()
}

/** Expects this status for each request that is sent after a second. */
async function withinASecond(key: string, status: number): Promise<void> {
  const since = performance.now()
  for (let sentAt = since; (await statusWith(key)) !== status; sentAt = performance.now())
    expect(sentAt - since).toBeLessThan(1_000)
}

/** For how many days the newest key of this name is valid; null if it has no end. */
async function lifeOf(name: string): Promise<number | null> {
  const { createdAt, expiresAt } = (await list()).findLast((key) => key.name === name) ?? {}
  return expiresAt === null ? null : Math.round((Date.parse(`${expiresAt}`) - Date.parse(`${createdAt}`)) / DAY_MS)
}

test('create prints only the key, which the running service accepts', async () => {
  const key = await create('--name', 'window', '--read-only', '--expires', '2d')
  expect(await statusWith(key)).toBe(200)
  expect((await ask('POST', `${service.url}/pets`, key, petBody())).status).toBe(403)
  expect(await lifeOf('window')).toBe(2)
})

test('create rejects a file that does not exist, and does not create it', async () => {
  const other = temporaryFile('new.db')
  const { status, stdout, stderr } = await run(['keys', 'create', '--name', 'a', '--database', other])
  const advice = `Name it with PETSTORE_DATABASE or --database (default: data/petstore.db). To choose the first key of a new store, set PETSTORE_BOOTSTRAP_KEY.`
  expect([status, stdout, stderr]).toEqual([1, '', `petstore: There is no store at ${other}. ${advice}\n`])
  expect(existsSync(other)).toBe(false)
})

test('create rejects the name of an active key, and accepts the name of a revoked key', async () => {
  await create('--name', 'till 9')
  expect(await keys('create', '--name', 'till 9')).toEqual(ended(1, 'already has the name "till 9"', ''))
  await keys('revoke', 'till 9')
  await create('--name', 'till 9')
})

test.each([
  ['a name of digits', ['--name', '12']],
  ['a duration of zero', ['--name', 'a', '--expires', '0d']],
])('create rejects %s with status 2', async (_, args) => {
  const before = (await list()).length
  expect(await keys('create', ...args)).toEqual(ended(2, /^petstore: /, ''))
  expect((await list()).length).toBe(before)
})

test('list shows every key as text and as JSON, and no secret', async () => {
  await create('--name', 'Zoë 🐶')
  const { stdout } = await keys('list')
  expect(stdout).toMatch(/^ID +NAME +KEY +ACCESS +STATE +EXPIRES +LAST USED +CREATED\n/)
  expect(stdout).toContain('Zoë 🐶')
  expect(stdout).not.toMatch(/pets_|[0-9a-f]{16}/)
  expect(stdout).toMatch(new RegExp(`^1 +first +live_…${service.key.slice(-4)} +full `, 'm'))
  expect((await list())[0]).toEqual({
    id: 1,
    name: 'first',
    ending: service.key.slice(-4),
    environment: 'production',
    access: 'full',
    state: 'active',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  })
})

test('list shows the environment of a key, unless a version before 1.0 created it and it was not used since', async () => {
  const env = { PETSTORE_DATABASE: temporaryFile('mixed.db') }
  const of = (...args: string[]) => run(['keys', ...args], { env })
  await migrateStore(env.PETSTORE_DATABASE)
  await of('create', '--name', 'new', '--environment', 'staging')
  await of('create', '--name', 'old')
  runOnFile(env.PETSTORE_DATABASE, "UPDATE keys SET ending = substr(ending, -4) WHERE name = 'old'")
  const listed = JSON.parse((await of('list', '--json')).stdout) as { environment: string | null }[]
  expect(listed.map(({ environment }) => environment)).toEqual(['staging', null])
  expect((await of('list')).stdout).toMatch(/^1 .* test_….*\n2 {3}old +…\w{4} /m)
})

test('revokes a key by name, and the running service rejects it within a second', async () => {
  const key = await create('--name', 'lost')
  expect(await statusWith(key)).toBe(200)
  expect((await keys('revoke', 'lost')).status).toBe(0)
  await withinASecond(key, 401)
})

test('revoke rejects an unknown name with status 1', async () => {
  expect(await keys('revoke', 'nobody')).toEqual(ended(1, 'No active key'))
})

test('rotate creates a key with the access of the old one, which works until the overlap ends', async () => {
  const old = await create('--name', 'till 2', '--read-only')
  const { stdout, stderr } = await keys('rotate', 'till 2', '--overlap', '2d')
  expect(stderr).toContain('works until')
  expect([await statusWith(old), await statusWith(stdout.trim())]).toEqual([200, 200])
  const both = (await list()).filter(({ name }) => name === 'till 2')
  expect(both.map(({ access, expiresAt }) => [access, expiresAt !== null])).toEqual([
    ['read-only', true],
    ['read-only', false],
  ])
})

test('rotate after a rotation, revoke by name revokes the old key first', async () => {
  await create('--name', 'double')
  await keys('rotate', 'double')
  const states = async () => (await list()).filter(({ name }) => name === 'double').map(({ state }) => state)
  await keys('revoke', 'double')
  expect(await states()).toEqual(['revoked', 'active'])
  await keys('revoke', 'double')
  expect(await states()).toEqual(['revoked', 'revoked'])
})

test('revoke asks for an id if two old keys have the same name', async () => {
  for (const n of [1, 2])
    runOnFile(file, `INSERT INTO keys (name, hash, read_only, created_at) VALUES ('twin', '${n}', 0, 1)`)
  const { status, stderr } = await keys('revoke', 'twin')
  expect([status, stderr]).toEqual([1, expect.stringMatching(/Use an id: \d+ or \d+/)])
  const id = /Use an id: (\d+)/.exec(stderr)?.[1] as string
  expect((await keys('revoke', id)).status).toBe(0)
})

test('rotating a key again during its overlap keeps the lifetime of the first key', async () => {
  await create('--name', 'yearly', '--expires', '365d')
  await create('--name', 'endless')
  for (const name of ['yearly', 'endless']) {
    await keys('rotate', name)
    const [first] = (await list()).filter((key) => key.name === name)
    for (const which of [name, String(first?.id)]) {
      await keys('rotate', which)
      expect([which, await lifeOf(name)]).toEqual([which, name === 'yearly' ? 365 : null])
    }
  }
})

test('rotate reports the expiry of the old key if that is before the end of the overlap', async () => {
  await create('--name', 'hourly', '--expires', '1h')
  const [{ expiresAt }] = (await list()).filter(({ name }) => name === 'hourly') as [{ expiresAt: string }]
  const { stderr } = await keys('rotate', 'hourly', '--overlap', '24h')
  expect(stderr).toContain(`works until ${expiresAt.slice(0, 16).replace('T', ' ')}Z.`)
})

test('rotate without an overlap ends the old key, and gives the new one its full lifetime, even after ten days', async () => {
  const old = await create('--name', 'monthly', '--expires', '30d')
  const aged = (column: string) => `${column} = ${column} - ${10 * DAY_MS}`
  runOnFile(file, `UPDATE keys SET ${aged('created_at')}, ${aged('expires_at')} WHERE name = 'monthly'`)
  await keys('rotate', 'monthly', '--overlap', '0s')
  expect(await lifeOf('monthly')).toBe(30)
  await withinASecond(old, 401)
})

test('saves the last use of a key within seconds', async () => {
  const address = temporaryFile('used.db')
  const shop = await startService({ address, now: Date.now })
  const env = { PETSTORE_DATABASE: address }
  const lastUsed = async () => JSON.parse((await run(['keys', 'list', '--json'], { env })).stdout)[0].lastUsedAt
  const before = Date.now()
  await ask('GET', `${shop.url}/pets`, shop.key)
  await until('the last use is saved', async () => (await lastUsed()) !== null)
  expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(before)
  await shop.stop()
})

const full = existsSync('/dev/full')
describe.skipIf(!full)(`a key that cannot be printed${full ? '' : ': skipped, there is no /dev/full'}`, () => {
  const unseen = (command: string, redirect = '>/dev/full') =>
    run([], { env, command: ['sh', '-c', `exec ${redirect}; exec '${launcher}' keys ${command}`] })
  const inForce = async () =>
    (await list()).filter(({ state }) => state === 'active').map(({ lastUsedAt, ...key }) => key)

  test.each(['a full disk', 'a closed pipe'])('create revokes the key if standard output is %s', async (where) => {
    const pipe = temporaryFile('pipe')
    Bun.spawnSync(['mkfifo', pipe])
    const before = await inForce()
    const redirect = where === 'a full disk' ? undefined : `3<>${pipe} >${pipe} 3<&-`
    const revoked =
      /^petstore: Standard output cannot be written \((no space left on device|broken pipe)\)\. Key \d+ \(unseen\) was not shown, so it was revoked\.\n$/
    expect(await unseen('create --name unseen', redirect)).toEqual(ended(1, revoked))
    expect(await inForce()).toEqual(before)
  })

  test('rotate revokes the new key, and does not end the old one', async () => {
    const key = await create('--name', 'till 7')
    const before = await inForce()
    expect(await unseen("rotate 'till 7' --overlap 0s")).toEqual(ended(1, /^petstore: Standard .* revoked\.\n$/))
    expect(await inForce()).toEqual(before)
    expect(await statusWith(key)).toBe(200)
  })

  test('serve --ephemeral recommends a restart, because no command can add a key to its store', async () => {
    const command = ['sh', '-c', `exec '${launcher}' serve --ephemeral --port 0 >/dev/full`]
    const child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'pipe'] })
    atEndOfFile(() => child.kill())
    const { value } = await child.stderr.getReader().read()
    expect(new TextDecoder().decode(value)).toContain('written; only a restart shows the ephemeral key')
  })

  test('list fails with a message', async () => {
    const sentence = /^petstore: Standard output cannot be written \(no space left on device\)\.\n$/
    expect(await unseen('list')).toEqual(ended(1, sentence))
  })
})
