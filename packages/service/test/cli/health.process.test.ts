// `petstore health`, as a container's health check runs it.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../../test/support/ended.ts'
import { startFake } from '../../../../test/support/fake.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { startPrefixProxy } from '../../../../test/support/prefix-proxy.ts'
import { launcher, root, run, serve } from '../../../../test/support/process.ts'
import { childrenOf } from '../../../../test/support/process-tree.ts'
import { startService } from '../../../../test/support/service.ts'

test('exits with 0 if the service is ready, and with 3 if it does not answer', async () => {
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

/** Makes the service process 1 of a new PID namespace, as in a container. */
const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
const inContainer = [...CONTAINER, launcher]
const contained = Bun.which('unshare') !== null && Bun.spawnSync([...CONTAINER, 'true']).success
const uncontained = contained ? '' : ': skipped, no namespaces can be made here'

test.skipIf(!contained)(
  `the image's health check uses the host and port from the flags of the service${uncontained}`,
  async () => {
    const [, command = ''] = /^HEALTHCHECK .* CMD (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
    const [, ...check] = JSON.parse(command) as string[]
    const port = String(freePort())
    const service = await serve(['--ephemeral', '--port', port, '--host=127.0.0.2'], { command: inContainer })
    const nsenter = ['nsenter', '--target', String(childrenOf(service.pid)[0]), '--pid', '--mount', launcher]
    // Set by the image.
    const env = { PETSTORE_HOST: '0.0.0.0' }
    const checked = await run(check, { env, command: nsenter })
    await service.stop('SIGKILL')
    expect(checked).toEqual({ status: 0, stdout: 'ready\n', stderr: '' })
  },
)

test('reports a process id that does not exist', async () => {
  const stderr = 'petstore: The flags of process 999999999 cannot be read.\n'
  expect(await run(['health', '--process', '999999999'])).toEqual({ status: 1, stdout: '', stderr })
})
