// The packed client package in a separate project: types, plain Node, and no other packages.

import { beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../../package.json'
import { packages, plainNode } from '../../../test/support/artefacts.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { expectReleased } from '../../../test/support/released.ts'
import { startService } from '../../../test/support/service.ts'
import { runTool } from '../../../test/support/tools.ts'

const root = join(import.meta.dir, '../../..')
const outside = dirname(temporaryFile('package.json'))

/** Tests types and behaviour: compiled with `strict` and without skipLibCheck, then run. */
const PROGRAM = `
import { PetstoreClient, PetstoreApiError, type Event, type NewPet, type Order, type Pet, type PetStatus } from 'petstore-client'

const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
const client = new PetstoreClient({ baseUrl, apiKey, onDeprecated: ({ operationId }) => console.log('deprecated', operationId) })
const rex: NewPet = { name: 'Rex', categoryId: 9223372036854775807n }
const added: Pet = await client.createPet(rex)
const status: PetStatus = added.status
console.log('added', added.id, added.categoryId, status)
await client.createPet(rex, { idempotencyKey: 'once' })
for await (const pet of client.listPets({ status: 'available', limit: 1 })) console.log('listed', pet.id)
console.log('got', (await client.getPet(added.id)).categoryId)
const order: Order = await client.placeOrder({ petId: added.id, expiresAt: new Date(Date.now() + 60_000).toISOString() })
console.log('ordered', order.petName, order.status, (await client.completeOrder(order.id)).status)
for await (const { petId } of client.listOrders({ status: 'completed' })) console.log('sold', petId)
console.log('counted', (await client.getInventory()).sold)
const until = new AbortController()
for await (const { event, cursor } of client.followEvents({ petId: added.id, signal: until.signal })) {
  const known: Event = event
  console.log(known.type, known.petStatus, cursor.length > 0)
  if (known.type === 'order.completed') until.abort()
}
// @ts-expect-error: a number could already be rounded
const wrong: NewPet = { name: 'Rex', categoryId: 7 }
try {
  await client.createPet({ ...wrong, name: '' })
} catch (error) {
  if (error instanceof PetstoreApiError) console.log('refused', error.code, error.status, typeof error.requestId)
}
`

beforeAll(async () => {
  const { client } = await packages()
  writeFileSync(join(outside, 'package.json'), '{ "type": "module" }')
  await runTool(['npm', 'install', '--offline', '--no-audit', client], outside)
  const [imports = '', body = ''] = PROGRAM.split(/(?<=^import .*\n)/m)
  writeFileSync(join(outside, 'program.ts'), PROGRAM)
  // CommonJS has no top-level await.
  writeFileSync(join(outside, 'program.cts'), `${imports}async function main() {${body}}\nmain()`)
})

test.each([
  ['an ES module', 'program.ts', ['--module', 'nodenext']],
  ['CommonJS', 'program.cts', ['--module', 'nodenext']],
  ['CommonJS for a bundler', 'program.cts', ['--module', 'commonjs', '--moduleResolution', 'bundler']],
])('has types and works on Node, in %s', async (_name, file, module) => {
  const service = await startService()
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
  const strict = ['--strict', '--exactOptionalPropertyTypes', ...module, '--target', 'es2022']
  await runTool([join(root, 'node_modules/.bin/tsc'), ...strict, '--lib', 'es2022,dom', ...types, file], outside)
  const printed = await runTool([...plainNode, file.replace(/ts$/, 'js'), service.url, service.key], outside)
  await service.stop()
  expect(printed.trim().replaceAll('\n', ', ')).toBe(
    'added 1n 9223372036854775807n available, listed 1n, listed 2n, deprecated getPet, got 9223372036854775807n, ' +
      'ordered Rex pending completed, sold 1n, counted 1n, pet.added available true, order.placed pending true, ' +
      'order.completed sold true, refused invalid_pet 400 string',
  )
})

test('is private, because the npm name is not ours, has the version of the service, and needs no package', async () => {
  const manifest = JSON.parse(readFileSync(join(outside, 'node_modules/petstore-client/package.json'), 'utf8'))
  const { version, config } = packageJson
  expect(manifest).toMatchObject({ name: config.clientName, private: true, version })
  expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([])
})

test('the package exports every released name, method and field', async () => {
  const folder = join(outside, 'node_modules/petstore-client/client/src')
  const declared = readFileSync(join(folder, 'petstore.d.ts'), 'utf8')
  const lists = declared.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  const names = [...lists].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().split(' ').at(-1) ?? ''),
  )
  const members = ['petstore-client.d.ts', 'errors.d.ts'].flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split(/^export declare class /m)
      .slice(1)
      .flatMap((text) => {
        const [name] = text.split(/\W/)
        return [...text.matchAll(/^ {4}(?:readonly )?(?!constructor)(\w+)[(:?<]/gm)].map(
          ([, member]) => `${name}.${member}`,
        )
      }),
  )
  expectReleased('client', [...names, ...members].filter(Boolean))
})

test('the package makes a small browser bundle without dependencies', async () => {
  const entrypoints = [join(outside, 'node_modules/petstore-client/client/src/petstore.js')]
  const built = await Bun.build({ entrypoints, target: 'browser', minify: true })
  const text = await (built.outputs[0] as Blob).text()
  // A member of `globalThis` can be missing.
  expect(text).not.toMatch(/\b(?:require|node:|Bun|(?<!globalThis\.)process)\b/)
  // Syntax that the oldest browsers of docs/clients.md do not have.
  expect(text).not.toMatch(/static\s*\{|\(\?<[!=]|\/v[;,)]/)
  expect(Bun.gzipSync(text).byteLength).toBeLessThan(6_500)
})
