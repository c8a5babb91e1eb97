// Sample pets, from `petstore demo` and `serve --ephemeral --demo`.

import { expect, test } from 'bun:test'
import { ended } from '../../../test/support/ended.ts'
import { petBody } from '../../../test/support/pets.ts'
import { ask, run, serve } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { openShop } from '../../../test/support/shop.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { samplePets } from '../../client/src/samples.ts'

const { count, cwd, env, service } = await openShop()

test('petstore demo asks before adding pets to a store that has some', async () => {
  await service.post(petBody())
  const before = await count()
  const terminal = openTerminal(['demo'], { ...env, NO_COLOR: '1' }, 40)
  const question = `The service already has pets. Add ${samplePets.length} sample pets? [y/N] `
  await terminal.waitForScreen(question)
  terminal.type('no')
  await terminal.waitForScreen(`${question}no`)
  terminal.type('\r')
  expect(await terminal.exited).toBe(1)
  await terminal.waitForScreen(`${question}no\r\npetstore: Nothing was added.`)
  expect(await count()).toBe(before)
})

test('petstore demo reports how many pets it added before a failure', async () => {
  const limited = await startService({ limits: { rate: { requests: 30, periodSeconds: 3600 } } })
  expect(await run(['demo'], { cwd, env: limited.env })).toEqual(
    ended(1, /^Added 10 sample pets\. .*\npetstore: .*\n$/),
  )
})

test('petstore demo needs --yes without a terminal if the store has pets', async () => {
  const empty = await startService()
  const { env } = empty
  expect((await run(['demo'], { cwd, env })).status).toBe(0)
  expect(await run(['demo'], { cwd, env })).toEqual(ended(1, 'petstore demo --yes', ''))
  expect((await run(['categories'], { cwd, env })).stdout).toContain('Dogs')
  expect(JSON.parse((await empty.get('/pets?limit=100')).text).length).toBe(samplePets.length)
})

test('sample pets serve --ephemeral --demo starts with sample pets despite a rate limit', async () => {
  const demo = await serve(['--ephemeral', '--demo'], { env: { PETSTORE_RATE_LIMIT: '1/m' } })
  const shop = new PetstoreClient({ baseUrl: demo.url, apiKey: demo.key })
  const { pets: first } = await shop.listPage({ limit: 100 })
  expect(first.map(({ name }) => name)).toEqual(samplePets.map(({ name }) => name))
  expect((await ask('GET', `${demo.url}/pets`, demo.key)).status).toBe(429)
  expect(await demo.stop()).toBe(0)
})
