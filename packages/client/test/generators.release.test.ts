// Four widely used generators make clients from the served document: each compiles, and does what it says against a real
// service. What they cannot do with 64-bit numbers is held here, too, so that docs/clients.md stays true.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { petBody } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { installTools, runTool } from '../../../test/support/tools.ts'

const home = join(import.meta.dir, 'generators')
const made = join(home, 'node_modules/.made')
/** On Bun, which takes two thirds of Node's processor time. */
const generator = (name: string) => [process.execPath, '--bun', join(home, 'node_modules/.bin', name)]

interface Generator {
  command: string[]
  /** Defines `list`, `create` and `get` over the generated client, and the type `Code`; a refusal is given as its Error body. */
  program: string
  /** What becomes of a bigint in a request. */
  bigint: string
}

const TYPES = `
interface Pet { id: number; name: string; categoryId: number; status?: 'available' | 'pending' | 'sold' }
interface NewPet { name: string; categoryId: number }
interface Refusal { code: string; status: number }
`

const GENERATORS: Record<string, Generator> = {
  'openapi-typescript and openapi-fetch': {
    command: [
      ...generator('openapi-typescript'),
      'openapi.yaml',
      '-o',
      'openapi-typescript.ts',
      '--default-non-nullable=false',
    ],
    program: `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript.ts'
type Code = components['schemas']['ErrorCode']
const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + apiKey } })
const list = async (limit: number): Promise<Pet[] | undefined> => (await client.GET('/pets', { params: { query: { limit } } })).data
const create = async (body: components['schemas']['NewPet']): Promise<Pet | Refusal | undefined> => {
  const { data, error } = await client.POST('/pets', { body, params: { header: { 'Idempotency-Key': 'a' + body.name.length } } })
  return data ?? error
}
const get = async (petId: number): Promise<Pet | undefined> => (await client.GET('/pets/{petId}', { params: { path: { petId } } })).data
`,
    bigint: 'TypeError',
  },
  '@hey-api/openapi-ts': {
    command: [...generator('openapi-ts'), '-i', 'openapi.yaml', '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
    program: `
import { createPet, type ErrorCode as Code, getPet, listPets } from './hey-api/index.ts'
import { client } from './hey-api/client.gen.ts'
client.setConfig({ baseUrl: baseUrl as 'https://petstore.example/v1', auth: apiKey })
const list = async (limit: number): Promise<Pet[] | undefined> => (await listPets({ query: { limit } })).data
const create = async (body: NewPet): Promise<Pet | Refusal | undefined> => {
  const { data, error } = await createPet({ body })
  return data ?? error
}
const get = async (petId: number): Promise<Pet | undefined> => (await getPet({ path: { petId } })).data
`,
    bigint: 'invalid_pet',
  },
  'swagger-typescript-api': {
    command: [...generator('swagger-typescript-api'), 'generate', '-p', 'openapi.yaml', '-o', '.', '-n', 'swagger.ts'],
    program: `
import { Api, type ErrorCode as Code } from './swagger.ts'
const api = new Api({ baseUrl, baseApiParams: { headers: { Authorization: 'Bearer ' + apiKey } } })
const list = async (limit: number): Promise<Pet[]> => (await api.pets.listPets({ limit })).data
const create = async (body: NewPet): Promise<Pet | Refusal> => {
  try {
    return (await api.pets.createPet(body)).data
  } catch (response) {
    if (response instanceof Response) return (response as unknown as { error: Refusal }).error
    throw response
  }
}
const get = async (petId: number): Promise<Pet> => (await api.pets.getPet(petId)).data
`,
    bigint: 'TypeError',
  },
  oazapfts: {
    command: [...generator('oazapfts'), 'openapi.yaml', 'oazapfts.ts'],
    program: `
import { createPet, defaults, type ErrorCode as Code, getPet, listPets } from './oazapfts.ts'
defaults.baseUrl = baseUrl
defaults.headers = { Authorization: 'Bearer ' + apiKey }
const list = async (limit: number): Promise<Pet[] | undefined> => {
  const answer = await listPets({ limit })
  return answer.status === 200 ? answer.data : undefined
}
const create = async (body: NewPet): Promise<Pet | Refusal> => (await createPet(body)).data
const get = async (petId: number): Promise<Pet | undefined> => {
  const answer = await getPet(petId)
  return answer.status === 200 ? answer.data : undefined
}
`,
    bigint: 'TypeError',
  },
}

const HEAD = `const [baseUrl = '', apiKey = '', large = ''] = process.argv.slice(2)\n${TYPES}`
const TAIL = `
// Compiles only where the set of codes is open.
const later: Code = 'code_of_tomorrow'
const added = await create({ name: 'Rex', categoryId: 7 })
const refused = await create({ name: '', categoryId: 7 })
const bigint = await create({ name: 'Big', categoryId: 7n as unknown as number }).catch((error: Error) => ({ code: error.name, status: 0 }))
console.log(
  JSON.stringify({
    added: added && 'id' in added ? [added.name, added.categoryId, added.status] : added,
    refused: refused && 'code' in refused ? [refused.code, refused.status] : refused,
    listed: (await list(1))?.length,
    large: (await get(Number(large)))?.categoryId,
    bigint: bigint && 'code' in bigint ? bigint.code : bigint,
    later,
  }),
)
`

const STRICT = {
  compilerOptions: {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ module: 'preserve', moduleResolution: 'bundler', target: 'esnext' },
    ...{
      lib: ['esnext', 'dom', 'dom.iterable'],
      types: ['bun'],
      typeRoots: [join(home, '../../../../node_modules/@types')],
    },
  },
  include: ['program-*.ts'],
}

let service: Service
let large: string

beforeAll(async () => {
  await installTools('generators', home)
  service = await startService()
  const created = await service.post(petBody({ categoryId: 9007199254740993n }))
  large = /"id":(\d+)/.exec(created.text)?.[1] as string
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  const document = await fetch(`${service.origin}/openapi.yaml`)
  writeFileSync(join(made, 'openapi.yaml'), await document.text())
  await Promise.all(Object.values(GENERATORS).map(({ command }) => runTool(command, made)))
  for (const [name, { program }] of Object.entries(GENERATORS)) {
    writeFileSync(join(made, fileOf(name)), HEAD + program + TAIL)
  }
  writeFileSync(join(made, 'tsconfig.json'), JSON.stringify(STRICT))
  await runTool([join(home, '../../../../node_modules/.bin/tsc'), '-p', '.'], made)
})
afterAll(() => service.stop())

for (const [name, { bigint }] of Object.entries(GENERATORS)) {
  test(`${name} generates a working client, which rounds integers beyond 2^53`, async () => {
    const printed = await runTool([process.execPath, fileOf(name), service.url, service.key, large], made)
    expect(JSON.parse(printed)).toEqual({
      added: ['Rex', 7, 'available'],
      refused: ['invalid_pet', 400],
      listed: 1,
      large: 9007199254740992,
      bigint,
      later: 'code_of_tomorrow',
    })
  })
}

function fileOf(name: string): string {
  return `program-${Object.keys(GENERATORS).indexOf(name)}.ts`
}
