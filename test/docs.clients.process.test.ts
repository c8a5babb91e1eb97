// Runs the blocks of docs/clients.md as one program against a real service.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { root, run } from './support/process.ts'
import { startService } from './support/service.ts'

const CLIENT = join(root, 'packages/client/src/petstore.ts')

test('the blocks of docs/clients.md work as one program', async () => {
  const page = readFileSync(join(root, 'docs/clients.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  const service = await startService({ now: Date.now })
  const program = blocks
    .join('')
    .replace("'petstore-client'", JSON.stringify(CLIENT))
    .replace("baseUrl: 'https://petstore.example/v1', apiKey", `baseUrl: '${service.url}', apiKey: '${service.key}'`)
    .replace(/^ {2}kept = cursor$/m, "$&\n  if (event.type === 'order.completed') break")
  const path = temporaryFile('clients.ts')
  writeFileSync(path, `let kept: string | undefined\n${program}`)
  const { status, stdout, stderr } = await run([path], { command: [process.execPath] })
  expect([status, stderr]).toEqual([0, ''])
  const rex = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}'
  expect(stdout).toBe([rex, '1n Rex', '1n Rex', 'sold 1n', ''].join('\n'))
  expect((await service.get('/pets')).text).toContain('"name":"Luna"')
  expect(blocks.length).toBe(3)
})
