// Which requests of commands use a proxy from the environment.

import { expect, test } from 'bun:test'
import { startFake } from '../../../test/support/fake.ts'
import { newPet } from '../../../test/support/pets.ts'
import { runProcess } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { forward, startHook, taken } from '../../../test/support/webhook.ts'

const service = await startService({ host: '::' })
await service.store.createPet(newPet(), 1n)
const { port } = new URL(service.url)
const seen: string[] = []
const proxy = startFake(({ url, method }) => {
  seen.push(`${method} ${url}`)
  return new Response('from the proxy', { status: 400 })
})

const environment = (variable: string) => ({
  ...{ PETSTORE_API_KEY: service.key, NO_PROXY: 'shop.example' },
  [variable]: new URL(proxy.url).origin,
})

test('requests to this machine, and all requests of health, bypass the proxy', async () => {
  const env = environment('http_proxy')
  for (const host of ['localhost', 'shop.localhost', '127.0.0.1', '127.9.8.7', '[::1]']) {
    const url = ['--url', `http://${host}:${port}/v1`]
    const { stdout } = await runProcess(['pets', 'list', ...url], { env })
    expect([host, stdout]).toEqual([host, expect.stringContaining('Rex')])
  }
  const away = await runProcess(['health', '--url', 'http://petstore.invalid'], { env })
  expect(away.stderr).toMatch(/^petstore: http:\/\/petstore\.invalid\/readyz does not answer \([a-z ]+\)\. --url, /)
  const hook = await startHook(taken)
  const forwarding = forward({ to: hook.url, url: `http://127.0.0.1:${port}/v1`, key: service.key, env })
  await hook.received(1)
  await forwarding.stop()
  expect(seen).toEqual([])
})

test.each(['http_proxy', 'ALL_PROXY'])('requests to other hosts use %s, and errors name it', async (variable) => {
  const env = environment(variable)
  const { status, stderr } = await runProcess(['pets', 'list', '--url', 'http://petstore.example'], { env })
  expect([status, stderr]).toEqual([1, expect.stringContaining(`example/v1, through the proxy of ${variable})`)])
  expect(seen.splice(0)).toEqual(['GET http://petstore.example/v1/pets?limit=20'])
  const shop = await runProcess(['pets', 'list', '--url', 'http://shop.example'], { env })
  expect(shop.stderr).toMatch(/^petstore: The service at http:\/\/shop\.example\/v1 cannot be reached \([a-z ]+\)\./)
  expect(seen).toEqual([])
})

test('the error mentions a proxy that does not respond', async () => {
  const env = { PETSTORE_API_KEY: service.key, http_proxy: 'http://127.0.0.1:1', NO_PROXY: 'shop.example' }
  const { stderr } = await runProcess(['pets', 'list', '--url', 'http://petstore.example'], { env })
  const reason = 'cannot be reached (connection refused, through the proxy of http_proxy).'
  expect(stderr).toContain(`http://petstore.example/v1 ${reason}`)
})
