// The client as an outside project has it: from the packed package, typed, on plain Node, with nothing else installed.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { type Service, startService } from './support/service.ts'

const root = join(import.meta.dir, '..')
const outside = dirname(temporaryFile('package.json'))
let service: Service

/** Types and behaviour at once: compiled with `strict` and without skipLibCheck, then run. */
const PROGRAM = `
import { PetstoreClient, PetstoreApiError, type NewPet, type Pet, type PetStatus } from 'petstore/client'

const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
const client = new PetstoreClient({ baseUrl, apiKey, onDeprecated: ({ operationId }) => console.log('deprecated', operationId) })
const rex: NewPet = { name: 'Rex', categoryId: 9223372036854775807n }
const added: Pet = await client.createPet(rex)
const status: PetStatus = added.status
console.log('added', added.id, added.categoryId, status)
await client.createPet(rex, { idempotencyKey: 'once' })
for await (const pet of client.listPets({ status: 'available', limit: 1 })) console.log('listed', pet.id)
console.log('got', (await client.getPet(added.id)).categoryId)
// @ts-expect-error: a number would have been rounded before it came here
const wrong: NewPet = { name: 'Rex', categoryId: 7 }
try {
  await client.createPet({ ...wrong, name: '' })
} catch (error) {
  if (error instanceof PetstoreApiError) console.log('refused', error.code, error.status, typeof error.requestId)
}
`

beforeAll(async () => {
  service = await startService()
  const packed = await run(['npm', 'pack', '--silent', '--pack-destination', outside], root)
  const installed = join(outside, 'node_modules/petstore')
  mkdirSync(installed, { recursive: true })
  const tarball = join(outside, packed.trim().split('\n').at(-1) as string)
  await run(['tar', '-xzf', tarball, '-C', installed, '--strip-components=1'], outside)
  writeFileSync(join(outside, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(outside, 'program.ts'), PROGRAM)
}, 60_000)
afterAll(() => service.stop())

test('has types and works on Node', async () => {
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022']
  await run([join(root, 'node_modules/.bin/tsc'), ...strict, '--lib', 'es2022,dom', ...types, 'program.ts'], outside)
  const printed = await run(['node', 'program.js', service.url, service.key], outside)
  expect(printed.trim().split('\n')).toEqual([
    'added 1n 9223372036854775807n available',
    'listed 1n',
    'listed 2n',
    'deprecated getPet',
    'got 9223372036854775807n',
    'refused invalid_pet 400 string',
  ])
}, 60_000)

test('bundles for a browser, small and without dependencies', async () => {
  const built = await Bun.build({
    entrypoints: [join(outside, 'node_modules/petstore/dist/client/petstore.js')],
    target: 'browser',
    minify: true,
  })
  const text = await (built.outputs[0] as Blob).text()
  expect(text).not.toMatch(/\b(?:require|node:|Bun|process)\b/)
  expect(Bun.gzipSync(text).byteLength).toBeLessThan(4_000)
})

async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status}\n${out}${err}`)
  return out
}
