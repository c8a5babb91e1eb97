// `petstore status`, `petstore open`, and `GET /key`.

import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFake } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { refusedKey } from '../../service/src/domain/keys.ts'

const service = await startService()

/** Has no saved login. */
const HOME = temporaryFile('home')
const status = (env: Record<string, string>) => run(['status'], { env: { HOME, ...env } })

test('shows the service, its state, the access of the key, and the last event', async () => {
  const readOnly = await service.addKey({ readOnly: true })
  const { port } = new URL(service.url)
  const { stdout, stderr, status: ended } = await status({ PETSTORE_PORT: port, PETSTORE_API_KEY: readOnly })
  expect([ended, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    new RegExp(`^Service  ${service.url}
State    ready
Key      …${readOnly.slice(-4)}, from the flag or the environment
         .+: read-only, production, never expires\n$`),
  )
  expect(stdout).not.toContain(readOnly)
  await service.store.createPet(newPet(), (await service.store.listKeys())[0]?.id ?? 0n)
  const { stdout: later } = await status({ PETSTORE_PORT: port, PETSTORE_API_KEY: readOnly })
  expect(later).toEndWith(`never expires\nEvent    pet.added: pet 1, by test, 2026-11-21 00:00Z\n`)
})

test('exits with 4 if the key is mistyped, rejected or missing, and with 3 if the service does not respond', async () => {
  const refused = await status({ PETSTORE_URL: service.url, PETSTORE_API_KEY: `pets_live_${'0'.repeat(28)}` })
  expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('not an API key') })
  const generated = (await run(['keys', 'generate'])).stdout.trim()
  const foreign = await status({ PETSTORE_URL: service.url, PETSTORE_API_KEY: generated })
  const stderr = `petstore: ${refusedKey('unknown').message} (from ${service.url})\n`
  expect(foreign).toMatchObject({ status: 4, stderr })
  expect(foreign.stdout).toContain('State    ready')
  const stdout = `Service  ${service.url}\nState    ready\n`
  const ready = { stdout, stderr: expect.stringContaining('petstore login') }
  expect(await status({ PETSTORE_URL: service.url })).toMatchObject({ status: 4, ...ready })
  const away = await status({ PETSTORE_URL: 'http://127.0.0.1:1' })
  expect(away).toMatchObject({ status: 3, stdout: 'Service  http://127.0.0.1:1/v1\n' })
})

test('does not follow a redirect with its key', async () => {
  const asked: string[] = []
  const other = startFake(({ url }) => Response.json(asked.push(url)))
  const moved = startFake(() => Response.redirect(other.url, 307))
  const { status: ended } = await status({ ...service.env, PETSTORE_URL: moved.url })
  expect([ended, asked]).toEqual([3, []])
})

test('open starts the browser on the page, and prints its address', async () => {
  const folder = mkdtempSync(temporaryFile('browser-'))
  const opened = join(folder, 'opened')
  for (const name of ['xdg-open', 'open']) {
    const script = `#!/bin/sh\nprintf %s "$1" >'${opened}.part' && mv '${opened}.part' '${opened}'\n`
    writeFileSync(join(folder, name), script)
    chmodSync(join(folder, name), 0o755)
  }
  const page = `${new URL('/', service.url)}`
  const PATH = `${folder}:${process.env.PATH}`
  expect(await run(['open', '--url', service.url], { env: { PATH } })).toMatchObject({ status: 0, stdout: `${page}\n` })
  await until('the browser is opened', () => existsSync(opened))
  expect(readFileSync(opened, 'utf8')).toBe(page)
})

test('GET /key describes the key of the request', async () => {
  const expiresAt = Date.parse('2099-01-01T00:00:00Z')
  const key = await service.addKey({ expiresAt })
  const ask = (token: string) => fetch(new URL('/key', service.url), { headers: { Authorization: `Bearer ${token}` } })
  const told = { access: 'full', environment: 'production', expiresAt: '2099-01-01T00:00:00.000Z' }
  expect(await (await ask(key)).json()).toEqual({ name: expect.any(String), ...told })
  expect((await ask('x')).status).toBe(401)
  expect((await fetch(new URL('/key', service.url))).status).toBe(401)
})
