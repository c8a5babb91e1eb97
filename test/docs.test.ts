// The documents: links, file names, complete tables, and no installation of our unpublished packages by name.

import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../package.json'
import { document, operations } from '../packages/contract/src/contract.ts'

const root = join(import.meta.dir, '..')
const documents = [
  '*.md',
  'docs/*.md',
  'bench/*.md',
  'endurance/*.md',
  'scripts/*.md',
  'test/*.md',
  'packages/*/*.md',
].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])

/** The problems that `find` returns for the documents, each with the name of its document. */
function problems(find: (text: string, document: string) => readonly string[], of = documents): string[] {
  return of.flatMap((document) =>
    find(readFileSync(join(root, document), 'utf8'), document).map((problem) => `${document}: ${problem}`),
  )
}

test('every link has a target', () => {
  const broken = (text: string, document: string) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^\w+:/.test(target) && !leads(document, target))
  expect(problems(broken)).toEqual([])
})

test('the documents name only files that exist', () => {
  const missing = (text: string, document: string) =>
    [...text.matchAll(/(?<![\w/.-])(?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|sql|ya?ml|md)(?:\.gz)?\b/g)]
      .map(([file]) => file)
      .filter((file) => {
        const bases = ['', 'packages/service/src', 'docs', dirname(document)]
        return !bases.some((base) => existsSync(join(root, base, file)))
      })
  expect(problems(missing)).toEqual([])
})

test('endurance/FOUND.md has only commands of tests that exist', () => {
  const [, table = ''] = readFileSync(join(root, 'endurance/FOUND.md'), 'utf8').split('\n| Fault |')
  const [, , ...rows] = table.trimEnd().split('\n')
  expect(rows.length).toBeGreaterThan(25)
  const files = ['packages/*/test/**/*.ts', 'test/*.ts'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  const wrong = rows.filter((row) => {
    const [, command = ''] = / \| `([^`]+)` \|$/.exec(row) ?? []
    const [, tests] = /^bun test (.*)$/.exec(command) ?? []
    if (tests) return tests.split(' ').some((name) => !files.some((file) => file.includes(name)))
    // With a planted fault, an experiment passes if it finds the fault.
    return command === '' || command.includes('--planted')
  })
  expect(wrong).toEqual([])
})

test('docs/interface.md has the source of each operation, parameter and field', () => {
  const page = readFileSync(join(root, 'docs/interface.md'), 'utf8')
  const words = new Set(page.match(/[\w-]+/g))
  const fields = Object.values(document.components.schemas).flatMap(({ properties, allOf = [] }) =>
    [{ properties }, ...allOf].flatMap((part) => Object.keys(part.properties ?? {})),
  )
  const named = operations.flatMap(({ id, parameters }) => [id, ...parameters.map(({ name }) => name)])
  const all = new Set([...named, ...fields])
  expect([...all].filter((name) => !words.has(name))).toEqual([])
})

test('docs/README.md lists every page', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const pages = [...new Bun.Glob('*').scanSync(join(root, 'docs'))].filter((page) => page !== 'README.md')
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

const experiments = readFileSync(join(root, 'endurance/main.ts'), 'utf8')

test('the documents and workflows name only scripts and experiments that exist', () => {
  const missing = (text: string) =>
    [...text.matchAll(/\bnpm run ([\w:-]+)(?: -- ([a-z][\w-]+))?/g)]
      .filter(([, name = '', experiment]) => {
        if (!(name in packageJson.scripts)) return true
        return name === 'endurance' && experiment && !new RegExp(`^  '?${experiment}'?: `, 'm').test(experiments)
      })
      .map(([command]) => command)
  expect(problems(missing, [...documents, ...published])).toEqual([])
})

/** Files whose text people read. */
const published = [
  '*.md',
  'docs/*.md',
  'openapi.yaml',
  'deploy/*',
  'bin/*',
  'packages/*/src/**/*.{ts,tsx}',
  'packages/page/reference/**/*.{ts,tsx}',
  'packages/testing/*.ts',
  '.github/**/*.yml',
].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })])
const NAMES = [packageJson.name, packageJson.config.clientName]

test('no text installs our packages by name', () => {
  const installing =
    /\b(?:(?:npx|bunx|dlx)(?: -\S+)* (\S+)|(?:npm|pnpm|yarn|bun|deno) (?:install|i|add|exec|x) ([^\n`]*))/g
  const named = (words: string) =>
    words.split(' ').some((word) => NAMES.includes(word.replaceAll(/^(?:npm|jsr):|@[\w.-]+$|[^\w-]+$/g, '')))
  const byName = published.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(installing)]
      .filter(([, run, installed]) => named(run ?? installed ?? ''))
      .map(([command]) => `${file}: ${command}`),
  )
  expect(byName).toEqual([])
})

test('the names of our archives and images have the version from package.json', () => {
  const named = published.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\bpetstore(?:-client)?[-:](\d+\.\d+\.\d+)/g),
  ])
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(([, version]) => version !== packageJson.version).map(([name]) => name)).toEqual([])
})

/** Whether the file of a link exists, with the heading if the link has one. */
function leads(document: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, document) : join(root, dirname(document), path)
  if (!existsSync(file)) return false
  return heading === undefined || headings(readFileSync(file, 'utf8')).includes(heading)
}

/** The anchors of the headings, as GitHub generates them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  )
}
