// The imports that each folder and package can have, and other rules about source files.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const packages = join(import.meta.dir, '../packages')
const files = ['*/src/**/*.{ts,tsx}', 'page/reference/**/*.{ts,tsx}', 'testing/*.ts']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(packages)])
  .sort()

/** The folders and files that each folder can import. A file belongs to the innermost folder of this table. */
const ALLOWED: Record<string, readonly string[]> = {
  'service/src/domain': [
    'contract/src/generated.ts',
    'contract/src/limits.ts',
    'contract/src/system-reason.ts',
    'service/src/system/runtime.ts',
  ],
  'service/src/system': [],
  'contract/src': [],
  'service/src/store': [
    'service/src/domain',
    'contract/src/generated.ts',
    'contract/src/json.ts',
    'contract/src/limits.ts',
    'contract/src/system-reason.ts',
    'service/src/system',
  ],
  'service/src/http': ['service/src/domain', 'contract/src', 'service/src/observability', 'service/src/system'],
  'service/src/observability': ['service/src/domain', 'service/src/system'],
  'service/src/config': [
    'contract/src/system-reason.ts',
    'service/src/domain',
    'service/src/store/kinds.ts',
    'service/src/store/absolute-path.ts',
    'service/src/observability/client-address.ts',
    'service/src/observability/log.ts',
  ],
  'client/src': ['contract/src/generated.ts', 'contract/src/json.ts'],
  // Used by the page and the command line, so it imports neither.
  'files/src': ['client/src/responses.ts', 'contract/src/generated.ts', 'contract/src/json.ts'],
  // The page calls the API through the client. It shares word rules and order transitions with the service.
  'page/src': [
    'client/src',
    'files/src',
    'contract/src/generated.ts',
    'contract/src/limits.ts',
    'contract/src/json.ts',
    'service/src/domain/names.ts',
    'service/src/domain/order-transitions.ts',
    'service/src/domain/words.ts',
  ],
  'page/reference': ['contract/src/openapi.ts', 'contract/src/generated.ts', 'page/src/session/tab-keys.ts'],
  // Judges servers only by their responses.
  'verify/src': ['contract/src'],
  // Knows a service by its bytes, and operations by the contract. Its types for tests come from petstore/testing.
  'practice/src': [
    'contract/src',
    'testing/testing.ts',
    'verify/src/headers.ts',
    'verify/src/messages.ts',
    'verify/src/wrong-values.ts',
  ],
  // Starts the command line as a process.
  'testing/testing.ts': [],
  // The program: it can import every package. Nothing imports it.
  'cli/src': [
    'contract/src',
    'service/src/domain',
    'service/src/store/kinds.ts',
    'service/src/store/copy.ts',
    'service/src/store/absolute-path.ts',
    'service/src/http',
    'service/src/observability',
    'service/src/config',
    'service/src/system',
    'client/src',
    'files/src',
    'verify/src',
    'practice/src',
  ],
}

/** The same for inner folders. A file of the outer folder can import all inner folders. */
const ALLOWED_WITHIN: Record<string, readonly string[]> = {
  'service/src/http/request': ['service/src/http/context.ts'],
  'service/src/http/response': ['service/src/http/context.ts', 'service/src/http/shared-reads.ts'],
  'service/src/http/web': ['service/src/http/route.ts', 'service/src/http/context.ts', 'service/src/http/response'],
  // The subjects of the command line do not import its commands.
  'cli/src/terminal': [],
  'cli/src/forward': ['cli/src/terminal/plain-fetch.ts'],
  'service/src/store/shared': [],
  'service/src/store/sqlite': ['service/src/store/shared', 'service/src/store/contents.ts'],
  'service/src/store/postgres': ['service/src/store/shared', 'service/src/store/contents.ts'],
}

test('a file imports only files that its folder can import', () => {
  const wrong = files.flatMap((file) => {
    const folder = folderOf(file)
    if (!(folder in ALLOWED)) return [`${file}: not in the table`]
    return imports(file)
      .filter((target) => {
        const allowed = folderOf(target) === folder ? allowedWithin(file) : ALLOWED[folder]
        return !(allowed?.some((one) => isWithin(target, one)) ?? true)
      })
      .map((target) => `${file} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('only system/runtime.ts uses the timers, clocks and random sources of the runtime', () => {
  const CALLS =
    /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b|\bperformance\.now\b|\bBun\.sleep\b|\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\bDate\.now\b|\bnew Date\(\)/
  const wrong = files
    .filter((file) => /^(?:service|cli)\/src\/(?!forward\/)/.test(file) && file !== 'service/src/system/runtime.ts')
    .flatMap((file) =>
      readFileSync(join(packages, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    )
    .filter((line) => CALLS.test(line))
  expect(wrong).toEqual([])
})

test('a file imports by name only dependencies of its package, and never our own packages', () => {
  const byName = files.flatMap((file) => {
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(packages, file.split('/')[0] as string, 'package.json'), 'utf8'),
    )
    const names = [
      ...readFileSync(join(packages, file), 'utf8').matchAll(/(?:from |import\(|^import )'([^.'][^']*)'/gm),
    ]
    return (
      names
        .map(([, name]) => (/^(?:@[^/]+\/)?[^/]+/.exec(name as string) as RegExpExecArray)[0])
        // The reference shows a user's program.
        .filter((name) => name !== 'petstore-client' || file !== 'page/reference/document.ts')
        .filter((name) => !/^(?:bun|bun:.*|node:.*)$/.test(name) && !(name in dependencies))
        .map((name) => `${file}: ${name}`)
    )
  })
  expect(byName).toEqual([])
})

test('no file of http/ repeats a path of the contract', () => {
  const { paths } = Bun.YAML.parse(readFileSync(join(packages, '../openapi.yaml'), 'utf8')) as { paths: object }
  const starts = Object.keys(paths).map((path) => path.split('{')[0] as string)
  const lines = files
    .filter((file) => folderOf(file) === 'service/src/http')
    .flatMap((file) =>
      readFileSync(join(packages, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line}`),
    )
    .filter((line) => !/: *(\/\/|\/?\*|import )/.test(line))
  expect(lines.filter((line) => starts.some((start) => new RegExp(`['"\`}]${start}`).test(line)))).toEqual([])
})

test('every exported name is used in another file', () => {
  const root = join(packages, '..')
  const others = ['packages/*/test', 'test', 'bench', 'endurance', 'scripts'].flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)].map((file) => join(root, file)),
  )
  const names = new Map<string, Set<string>>()
  for (const path of [...files.map((file) => join(packages, file)), ...others]) {
    for (const [name] of readFileSync(path, 'utf8').matchAll(/[A-Za-z_$][\w$]*/g)) {
      names.set(name, (names.get(name) ?? new Set()).add(path))
    }
  }
  const EXPORT = /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
  // Exports for other programs, and generated ones.
  const published = (file: string) =>
    ['client/src', 'testing/testing.ts'].includes(folderOf(file)) || file === 'contract/src/generated.ts'
  const exported = files
    .filter((file) => !published(file))
    .flatMap((file) =>
      [...readFileSync(join(packages, file), 'utf8').matchAll(EXPORT)].map(([, name]) => [file, name] as const),
    )
  expect(exported.length).toBeGreaterThan(500)
  expect(exported.filter(([, name]) => (names.get(name as string)?.size ?? 0) < 2)).toEqual([])
})

function folderOf(file: string): string {
  const folders = Object.keys(ALLOWED).filter((folder) => isWithin(file, folder))
  return folders.toSorted((one, other) => other.length - one.length)[0] ?? ''
}

/** Returns `undefined` if the file can import its whole folder. */
function allowedWithin(file: string): string[] | undefined {
  const inner = dirname(file)
  const allowed = ALLOWED_WITHIN[inner]
  return allowed && [inner, ...allowed]
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}

function imports(file: string): string[] {
  const text = readFileSync(join(packages, file), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
    relative(packages, join(packages, dirname(file), path as string)),
  )
}
