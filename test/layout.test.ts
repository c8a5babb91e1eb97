// Dependencies point inward: which room may import which, and that each file says what it owns.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const src = join(import.meta.dir, '../src')
const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(src)].sort()

/** What each room may import of ours, beside itself: another room, or one file of it. Only the command line sees everything. */
const ALLOWED: Record<string, readonly string[]> = {
  domain: ['contract/generated.ts'],
  json: [],
  system: [],
  contract: ['json'],
  store: ['domain', 'contract/generated.ts', 'json', 'system'],
  http: ['domain', 'contract', 'json', 'observability', 'system'],
  observability: ['domain', 'system'],
  config: ['domain', 'store/kinds.ts', 'observability/log.ts'],
  client: ['contract/generated.ts', 'json'],
  // The page calls the public API through the client. What an order may become it reads in the table of the stores.
  console: [
    'client',
    'contract/generated.ts',
    'json',
    'domain/order-transitions.ts',
    'cli/formats/csv.ts',
    'cli/formats/excel.ts',
    'cli/formats/format.ts',
  ],
  reference: ['contract/openapi.ts', 'contract/generated.ts', 'console/tab-keys.ts'],
  // It knows a server by what it answers, and words for why none came.
  promises: ['contract', 'json', 'domain/errors.ts'],
  // It knows a service by its bytes, and operations by the contract. Of what a test may ask, petstore/testing has the types.
  practice: ['contract', 'json', 'testing/testing.ts'],
  // It starts the command line as a process.
  testing: [],
  cli: [
    'domain',
    'json',
    'contract',
    'store/kinds.ts',
    'store/copy.ts',
    'store/absolute-path.ts',
    'http',
    'observability',
    'config',
    'client',
    'promises',
    'practice',
    'system/files.ts',
    'system/lock.ts',
    'system/partial.ts',
    'system/terminal.ts',
  ],
}

/** Rooms within a room. A file of the room itself may import all of them. */
const ALLOWED_WITHIN: Record<string, readonly string[]> = {
  'http/request': ['http/context.ts', 'http/links.ts'],
  'http/response': ['http/context.ts', 'http/links.ts'],
  'http/limits': ['http/context.ts'],
  'http/web': ['http/route.ts', 'http/context.ts', 'http/response', 'http/links.ts', 'http/listen.ts'],
  'store/shared': [],
  'store/sqlite': ['store/shared', 'store/contents.ts'],
  'store/postgres': ['store/shared', 'store/contents.ts'],
}

describe('a file', () => {
  for (const file of files) {
    test(`${file} imports only what its room may`, () => {
      const room = roomOf(file)
      expect(Object.keys(ALLOWED)).toContain(room)
      for (const target of imports(file)) {
        const allowed = roomOf(target) === room ? allowedWithin(file) : ALLOWED[room]
        expect(`${file} → ${target}`).toSatisfy(() => allowed?.some((one) => isWithin(target, one)) ?? true)
      }
    })

    test(`${file} opens with what it owns`, () => {
      const [first = '', second = ''] = readFileSync(join(src, file), 'utf8').split('\n')
      expect(first.startsWith('#!') ? second : first).toStartWith('// ')
    })
  }
})

test('no file imports itself, through others', () => {
  /** Files that lead to none of their importers. */
  const free = new Set<string>()
  function circle(file: string, path: readonly string[]): readonly string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (free.has(file)) return undefined
    for (const target of imports(file)) {
      const found = circle(target, [...path, file])
      if (found) return found
    }
    free.add(file)
    return undefined
  }
  expect(files.flatMap((file) => circle(file, [])?.join(' → ') ?? [])).toEqual([])
})

test('no file of http/ has a path of the contract, beside its comments', () => {
  const { paths } = Bun.YAML.parse(readFileSync(join(src, '../openapi.yaml'), 'utf8')) as { paths: object }
  const starts = Object.keys(paths).map((path) => path.split('{')[0] as string)
  const lines = files
    .filter((file) => roomOf(file) === 'http')
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line}`),
    )
    .filter((line) => !/: *(\/\/|\/?\*|import )/.test(line))
  expect(lines.filter((line) => starts.some((start) => new RegExp(`['"\`}]${start}`).test(line)))).toEqual([])
})

test('every name that a file exports is imported by another, of the service or of what tries it', () => {
  const root = join(src, '..')
  const others = ['test', 'bench', 'endurance', 'scripts'].flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)].map((file) => join(root, file)),
  )
  const names = new Map<string, Set<string>>()
  for (const path of [...files.map((file) => join(src, file)), ...others]) {
    for (const [name] of readFileSync(path, 'utf8').matchAll(/[A-Za-z_$][\w$]*/g)) {
      names.set(name, (names.get(name) ?? new Set()).add(path))
    }
  }
  const EXPORT = /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
  // What these export is for other programs, or generated.
  const published = (file: string) => ['client', 'testing'].includes(roomOf(file)) || file === 'contract/generated.ts'
  const exported = files
    .filter((file) => !published(file))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(EXPORT)].map(([, name]) => [file, name] as const),
    )
  expect(exported.length).toBeGreaterThan(500)
  expect(exported.filter(([, name]) => (names.get(name as string)?.size ?? 0) < 2)).toEqual([])
})

function roomOf(file: string): string {
  return file.split('/')[0] as string
}

/** `undefined`: all of the room. */
function allowedWithin(file: string): string[] | undefined {
  const inner = dirname(file)
  const allowed = ALLOWED_WITHIN[inner]
  return allowed && [inner, ...allowed]
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}

function imports(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
    relative(src, join(src, dirname(file), path as string)),
  )
}
