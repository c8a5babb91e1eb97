// Clients that three generators make from the served contract compile and work on a real service: types only,
// functions, and a class. Also checks their limits with 64-bit numbers, which docs/clients.md describes.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { petBody } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { installTools, runTool } from '../../../test/support/tools.ts'

const home = join(import.meta.dir, 'generators')
// Bun remembers that a folder does not exist, so nothing looks for this one before it is installed.
const modules = await installTools('generators')
const made = join(modules, '.made')

interface Generator {
  command: string
  /** Imports its types `Pet` and `Code`. */
  types: string
  /** What the client returns or throws for a rejected create, and for a bigint in a create. */
  refused?: string
  bigint?: string
}

/** By the name of the program in generators/clients/. */
const GENERATORS: Record<string, Generator> = {
  'openapi-fetch': {
    command: 'openapi-typescript openapi.yaml -o openapi-typescript.ts --default-non-nullable=false',
    types: `import type { components } from './openapi-typescript.ts'
      type Code = components['schemas']['ErrorCode']
      type Pet = components['schemas']['Pet']`,
    bigint: 'TypeError',
  },
  'hey-api': {
    command: 'openapi-ts -i openapi.yaml -o hey-api -c @hey-api/client-fetch',
    types: `import type { ErrorCode as Code, Pet } from './hey-api/index.ts'`,
  },
  'swagger-typescript-api': {
    command: 'swagger-typescript-api generate -p openapi.yaml -o . -n swagger.ts',
    types: `import type { ErrorCode as Code, Pet } from './swagger.ts'`,
    refused: 'invalid_pet',
    bigint: 'TypeError',
  },
}

/** Compiles only if the set of codes is open, and 64-bit integers are numbers. */
const USE = `
export const later: Code = 'code_of_tomorrow'
const pet: Pet = { id: 1, name: 'Rex', categoryId: 7 }
export const numbers: number[] = [pet.id, pet.categoryId]`
const STRICT = {
  compilerOptions: {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true, types: ['bun'] },
    ...{ module: 'preserve', moduleResolution: 'bundler', target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'] },
    typeRoots: [join(home, '../../../../node_modules/@types')],
  },
  include: ['types-*.ts'],
}

let service: Service
beforeAll(async () => {
  service = await startService()
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  writeFileSync(join(made, 'openapi.yaml'), await (await fetch(`${service.origin}/openapi.yaml`)).text())
  writeFileSync(join(made, 'tsconfig.json'), JSON.stringify(STRICT))
  await Promise.all(
    Object.entries(GENERATORS).map(async ([name, { command, types }]) => {
      const [program = '', ...args] = command.split(' ')
      // On Bun, which needs a third less processor time than Node.
      await runTool([process.execPath, '--bun', join(modules, '.bin', program), ...args], made)
      writeFileSync(join(made, `types-${name}.ts`), types + USE)
      copyFileSync(join(home, 'clients', `${name}.mjs`), join(modules, `${name}.mjs`))
    }),
  )
  await runTool([join(home, '../../../../node_modules/.bin/tsc'), '-p', '.'], made)
})
afterAll(() => service.stop())

test.each(Object.entries(GENERATORS))(
  '%s makes a working client, which rounds integers beyond 2^53',
  async (name, expected) => {
    const { default: connect } = await import(join(modules, `${name}.mjs`))
    const client = connect({ baseUrl: service.url, apiKey: service.key })
    const add = (pet: object) => client.add(pet).catch((error: Error & { error?: object }) => error.error ?? error)
    const large = /"id":(\d+)/.exec((await service.post(petBody({ categoryId: 9007199254740993n }))).text)?.[1]
    expect(await add({ name: 'Rex', categoryId: 7 })).toMatchObject({ name: 'Rex', categoryId: 7, status: 'available' })
    expect((await client.pets({ limit: 1 })).length).toBe(1)
    expect((await client.pet(Number(large))).categoryId).toBe(9007199254740992)
    expect((await add({ name: '', categoryId: 7 }))?.code).toBe(expected.refused)
    expect((await add({ name: 'Big', categoryId: 7n }))?.name).toBe(expected.bigint)
  },
)
