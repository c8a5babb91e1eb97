// A command's memory stays small if a server sends a few kilobytes that inflate to gigabytes, or an endless response.

import { expect, test } from 'bun:test'
import { createZstdCompress } from 'node:zlib'
import { startFake } from '../../../test/support/fake.ts'
import { launcher } from '../../../test/support/process.ts'
import { peakBytesOf } from '../../../test/support/process-tree.ts'
import { startService } from '../../../test/support/service.ts'
import { forward, startHook } from '../../../test/support/webhook.ts'
import { generateKey } from '../../service/src/domain/keys.ts'

/** 1 GiB, compressed to 100 KB. */
const BOMB = await bomb()
const HEADERS = { 'Content-Encoding': 'zstd', 'Content-Type': 'application/json' }
const MEMORY_MAX = 700_000_000

async function bomb(): Promise<Uint8Array<ArrayBuffer>> {
  const compress = createZstdCompress()
  const part = Buffer.alloc(2 ** 24, ' ')
  const parts: Buffer[] = []
  compress.on('data', (bytes: Buffer) => parts.push(bytes))
  for (let count = 0; count < 64; count++) await new Promise((resolve) => compress.write(part, resolve))
  await new Promise<void>((resolve) => compress.end(resolve))
  return new Uint8Array(Buffer.concat(parts))
}

async function run(args: string[], env: Record<string, string>) {
  const given = { PATH: process.env.PATH ?? '', ...env }
  const child = Bun.spawn([launcher, ...args], { env: given, stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr, peakBytes] = await Promise.all([child.stderr.text(), peakBytesOf(child)])
  return { status: await child.exited, stderr, peakBytes }
}

function endless(): Response {
  const part = Buffer.alloc(65_536, ' ')
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(part) }))
}

function answering(answer: () => Response) {
  const encodings: (string | null)[] = []
  const { url } = startFake((request) => {
    encodings.push(request.headers.get('Accept-Encoding'))
    return answer()
  })
  return { env: { PETSTORE_URL: url, PETSTORE_API_KEY: generateKey('staging') }, encodings }
}

test.each(['pets list', 'status', 'health'])('%s rejects a compressed response', async (command) => {
  const server = answering(() => new Response(BOMB, { headers: HEADERS }))
  const ended = await run(command.split(' '), server.env)
  const stderr = expect.stringContaining('sent a compressed answer, which was not requested.')
  expect(ended).toMatchObject({ status: 3, stderr })
  expect(ended.peakBytes).toBeLessThan(MEMORY_MAX)
  expect(server.encodings[0]).toBe('identity')
})

test('pets list rejects a response of more than 1 MiB', async () => {
  const server = answering(endless)
  const ended = await run(['pets', 'list'], server.env)
  expect(ended).toMatchObject({ status: 3, stderr: expect.stringContaining('an answer of more than 1 MiB') })
  expect(ended.peakBytes).toBeLessThan(MEMORY_MAX)
})

test('events forward continues after compressed and endless responses', async () => {
  const service = await startService()
  for (let pet = 0; pet < 3; pet++) await service.post('{"name":"Rex","categoryId":7}')
  const answers = [() => new Response(BOMB, { headers: HEADERS }), endless]
  const hook = await startHook((_received, n) => answers[n]?.() ?? new Response(null, { status: 204 }))
  const forwarded = forward({ to: hook.url, url: service.url, key: service.key })
  await hook.received(3)
  await forwarded.stop()
  expect(hook.ids()).toEqual([1, 2, 3])
  expect(hook.all[0]?.headers['accept-encoding']).toBe('identity')
  expect(await forwarded.peakBytes).toBeLessThan(MEMORY_MAX)
})
