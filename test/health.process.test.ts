// `petstore health`, as a container's health check runs it.

import { expect, test } from 'bun:test'
import { startPrefixProxy } from './support/prefix-proxy.ts'
import { run, serve } from './support/process.ts'
import { startService } from './support/service.ts'

test('exits with 0 while the service is ready, and with 3 when it does not answer', async () => {
  const service = await serve(['--ephemeral'])
  const { port } = new URL(service.url)
  // Where the service listens on every address, the check calls this machine.
  const env = { PETSTORE_PORT: port, PETSTORE_HOST: '0.0.0.0' }
  expect(await run(['health'], { env })).toEqual({ status: 0, stdout: 'ready\n', stderr: '' })
  expect((await run(['health', '--url', service.url])).status).toBe(0)
  await service.stop()
  expect(await run(['health'], { env })).toMatchObject({
    status: 3,
    stderr: expect.stringContaining(`petstore: http://127.0.0.1:${port}/readyz does not answer.`),
  })
})

test('asks the service below the path of a proxy', async () => {
  const service = await startService()
  const proxy = startPrefixProxy(() => service.origin)
  expect(await run(['health', '--url', `${proxy.origin}/shop/v1`])).toMatchObject({ status: 0, stdout: 'ready\n' })
  await proxy.stop()
  await service.stop()
})

test('exits with 3 while the service is not ready', async () => {
  const busy = Bun.serve({ port: 0, fetch: () => new Response('{}', { status: 503 }) })
  const { status, stderr } = await run(['health', '--url', `http://127.0.0.1:${busy.port}/v1`])
  expect([status, stderr]).toEqual([3, expect.stringContaining('answers 503')])
  await busy.stop(true)
})
