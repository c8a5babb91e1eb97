// Runs each snippet of docs/events.md unchanged.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { freePort } from './support/ports.ts'
import { launcher, root } from './support/process.ts'
import { type Service, startService } from './support/service.ts'
import { until } from './support/until.ts'

const page = readFileSync(join(root, 'docs/events.md'), 'utf8')

function snippet(heading: string): string {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [, text] = /^```\w+\n([\s\S]*?)^```$/m.exec(section) ?? []
  if (text === undefined) throw new Error(`${heading} has no snippet`)
  return text
}

let service: Service
/** A project with the packages and petstore. */
let folder: string
const children: Bun.Subprocess[] = []

beforeAll(async () => {
  service = await startService({ now: Date.now })
  folder = mkdtempSync(temporaryFile('project-'))
  const client = join(folder, 'node_modules/petstore-client')
  mkdirSync(client, { recursive: true })
  writeFileSync(join(client, 'package.json'), '{ "type": "module", "exports": "./index.ts" }')
  const source = JSON.stringify(join(root, 'packages/client/src/petstore.ts'))
  writeFileSync(join(client, 'index.ts'), `export * from ${source}\n`)
  symlinkSync(join(root, 'node_modules/standardwebhooks'), join(folder, 'node_modules/standardwebhooks'))
  symlinkSync(launcher, join(folder, 'petstore'))
  await service.post('{"name":"Rex","categoryId":9223372036854775807}')
  await service.request('POST', '/store/orders', { body: '{"petId":1}' })
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function begin(command: string[], env: Record<string, string> = {}) {
  const PATH = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`
  const given = { PATH, HOME: folder, PETSTORE_URL: service.url, PETSTORE_API_KEY: service.key, ...env }
  const child = Bun.spawn(command, { cwd: folder, env: given, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let shown = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) shown += decoder.decode(bytes, { stream: true })
  })()
  return {
    child,
    async shows(text: string) {
      await until(`it shows ${text}`, () => shown.includes(text) || child.exitCode !== null, { seen: () => shown })
      expect(shown).toContain(text)
    },
  }
}

test.skipIf(!Bun.which('curl'))(
  `curl follows events${Bun.which('curl') ? '' : ': skipped, curl missing'}`,
  async () => {
    const following = begin(['sh', '-euc', snippet('Follow by curl')], { URL: service.url, KEY: service.key })
    await following.shows('"order.placed"')
    await service.post('{"name":"Luna","categoryId":7}')
    await following.shows('"Luna"')
    following.child.kill()
  },
)

test('the mirror copies the store, and continues after a kill', async () => {
  writeFileSync(join(folder, 'mirror.ts'), snippet('Mirror the store'))
  const mirrored = async () => {
    const inventory = JSON.parse((await service.get('/store/inventory')).text) as Record<string, number>
    return until('the mirror has all pets', () => {
      try {
        using database = new Database(join(folder, 'mirror.db'), { readonly: true, safeIntegers: true })
        const rows = database.query('SELECT status, count(*) AS pets FROM pets GROUP BY status').all()
        const counts = Object.fromEntries(
          (rows as { status: string; pets: bigint }[]).map((row) => [row.status, row.pets]),
        )
        if (Object.entries(inventory).every(([status, pets]) => BigInt(pets) === (counts[status] ?? 0n))) {
          return database.query('SELECT * FROM pets WHERE id = 1').get()
        }
        return undefined
      } catch (error) {
        // The database does not exist yet, or is locked.
        if (!/no such table|unable to open|locked/.test(String(error))) throw error
        return undefined
      }
    })
  }
  const first = begin([process.execPath, 'mirror.ts'])
  expect(await mirrored()).toEqual({ id: 1n, name: 'Rex', category: 9223372036854775807n, status: 'pending' })
  first.child.kill('SIGKILL')
  await service.request('POST', '/store/orders/1/complete')
  await service.post('{"name":"Tofu","categoryId":7}')
  begin([process.execPath, 'mirror.ts'])
  expect(await mirrored()).toMatchObject({ status: 'sold' })
})

test('the web hook verifies forwarded events, and rejects a forged one', async () => {
  const port = freePort()
  const forwarding = begin(
    ['sh', '-euc', snippet('Forward to a webhook').replace(/^petstore events forward/m, 'exec $&')],
    { WEBHOOK: `http://127.0.0.1:${port}/` },
  )
  await until('the secret file exists', () => Bun.file(join(folder, 'webhook-secret')).exists())
  await until('the secret is written', async () => (await Bun.file(join(folder, 'webhook-secret')).text()) !== '')
  writeFileSync(join(folder, 'hook.ts'), snippet('Verify a signature'))
  const hook = begin([process.execPath, 'hook.ts'], { PORT: String(port) })
  await hook.shows('pet.added 1\norder.placed 1\n')
  const timestamp = `${Math.floor(Date.now() / 1000)}`
  const headers = { 'webhook-id': 'a', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' }
  const body = '{"type":"pet.added","petId":9}'
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  expect(forged.status).toBe(401)
  forwarding.child.kill()
})
