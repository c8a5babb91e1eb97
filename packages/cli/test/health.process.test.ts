// `petstore health`, as a container's health check runs it.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../test/support/ended.ts'
import { startFake } from '../../../test/support/fake.ts'
import { freePort } from '../../../test/support/ports.ts'
import { startPrefixProxy } from '../../../test/support/prefix-proxy.ts'
import { root, run, serve } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'

test('exits with 0 if the service is ready, and with 3 if it does not respond', async () => {
  const service = await serve(['--ephemeral'])
  const { port } = new URL(service.url)
  // If the service listens on all addresses, the check connects to 127.0.0.1.
  const env = { PETSTORE_PORT: port, PETSTORE_HOST: '0.0.0.0' }
  expect(await run(['health'], { env })).toEqual({ status: 0, stdout: 'ready\n', stderr: '' })
  expect((await run(['health', '--url', service.url])).status).toBe(0)
  const elsewhere = { PETSTORE_URL: 'http://127.0.0.1:1/v1', PETSTORE_PORT: '1' }
  expect((await run(['health', '--host', '127.0.0.1', '--port', port], { env: elsewhere })).stdout).toBe('ready\n')
  expect((await run(['health', '--port', 'http'])).status).toBe(2)
  await service.stop()
  expect(await run(['health'], { env })).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(`petstore: http://127.0.0.1:${port}/readyz does not answer (connection refused).`),
  })
})

test('checks a service behind a path prefix', async () => {
  const service = await startService()
  const proxy = startPrefixProxy(() => service.origin)
  expect(await run(['health', '--url', `${proxy.origin}/shop/v1`])).toMatchObject({ status: 0, stdout: 'ready\n' })
})

test('exits with 3 if the service is not ready', async () => {
  const { url } = startFake(() => new Response('{}', { status: 503 }))
  expect(await run(['health', '--url', url])).toEqual(ended(3, 'answered 503'))
})

test("the image's health check uses the host and port from the variables of the service", async () => {
  const [, command = ''] = /^HEALTHCHECK .* CMD (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  const [, ...check] = JSON.parse(command) as string[]
  const env = { PETSTORE_HOST: '127.0.0.2', PETSTORE_PORT: String(freePort()) }
  await serve(['--ephemeral', '--host', env.PETSTORE_HOST, '--port', env.PETSTORE_PORT])
  expect(await run(check, { env })).toEqual({ status: 0, stdout: 'ready\n', stderr: '' })
})
