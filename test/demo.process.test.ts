// The sample pets: `petstore demo`, and `serve --ephemeral --demo`.

import { describe, expect, test } from 'bun:test'
import { PetstoreClient } from '../src/client/petstore.ts'
import { samplePets } from '../src/client/samples.ts'
import { run, serve } from './support/process.ts'
import { openShop } from './support/shop.ts'

const { connection, count, cwd } = await openShop()

describe('sample pets', () => {
  test('petstore demo adds them', async () => {
    const before = await count()
    expect((await run(['demo', '--yes'], { cwd, env: connection() })).status).toBe(0)
    expect(await count()).toBe(before + samplePets.length)
  })

  test('petstore demo adds none to pets without --yes, where it cannot ask', async () => {
    const empty = await serve(['--ephemeral'])
    const env = { PETSTORE_URL: empty.url, PETSTORE_API_KEY: empty.key }
    expect((await run(['demo'], { cwd, env })).status).toBe(0)
    const again = await run(['demo'], { cwd, env })
    expect([again.status, again.stdout, again.stderr]).toEqual([1, '', expect.stringContaining('petstore demo --yes')])
    const shop = new PetstoreClient({ baseUrl: empty.url, apiKey: empty.key })
    expect((await Array.fromAsync(shop.listPets())).length).toBe(samplePets.length)
    await empty.stop()
  })

  test('a rate limit does not slow the sample pets of serve --ephemeral --demo', async () => {
    const demo = await serve(['--ephemeral', '--demo'], { env: { PETSTORE_RATE_LIMIT: '1/m' } })
    const shop = new PetstoreClient({ baseUrl: demo.url, apiKey: demo.key })
    const { pets: first } = await shop.listPage({ limit: 100 })
    expect(first.map(({ name }) => name)).toEqual(samplePets.map(({ name }) => name))
    await demo.stop()
  }, 10_000)

  test('serve --ephemeral --demo starts with them; --demo alone is refused', async () => {
    const demo = await serve(['--ephemeral', '--demo'])
    const shop = new PetstoreClient({ baseUrl: demo.url, apiKey: demo.key })
    expect((await Array.fromAsync(shop.listPets())).length).toBe(samplePets.length)
    expect(await demo.stop()).toBe(0)
    expect(await run(['serve', '--demo'], { cwd })).toMatchObject({ status: 2, stdout: '' })
  })
})
