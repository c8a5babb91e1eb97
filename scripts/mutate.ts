// `npm run mutate` changes single lines of the product, one at a time, and reports whether the linter or a test notices. A seed chooses the
// lines, so knowledge of the tests does not influence the choice. Changes that do not compile do not count. The linter runs first, then the
// tests of the folder, then all tests.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { parsedBy } from '../packages/cli/src/terminal/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'
import { endTree } from '../test/support/process-tree.ts'
import { randomOf } from '../test/support/search-rules.ts'

const ROOT = join(import.meta.dir, '..')
/** Stops a mutation that hangs after this time. It counts as noticed. */
const SECONDS_MAX = { types: 120, lint: 60, folder: 300, all: 900 }

interface Mutation {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/** Possible replacements for a piece of a line. */
const CHANGES: readonly (readonly [RegExp, (found: string, ...groups: string[]) => string])[] = [
  [/ === /, () => ' !== '],
  [/ !== /, () => ' === '],
  [/ < (?=[\w(-])/, () => ' <= '],
  [/ > (?=[\w(-])/, () => ' >= '],
  [/ <= /, () => ' < '],
  [/ >= /, () => ' > '],
  [/ && /, () => ' || '],
  [/ \|\| /, () => ' && '],
  [/\bawait (?=[\w(])/, () => ''],
  [/\bif \((?!!)(.+?)\) (?=return|throw|continue|break)/, (_, condition) => `if (!(${condition})) `],
  [/(\w)\((\w+), (\w+)\)/, (_, name, one, other) => `${name}(${other}, ${one})`],
]

/** Chooses mutations evenly from all folders, in the order of the seed: of files below `path`, in lines changed since `commit`. */
function chosen({ seed, file: path = '', since }: Options): Mutation[] {
  const changed = since === undefined ? undefined : changedSince(since)
  const random = randomOf(seed)
  const shuffled = <Of>(all: readonly Of[]) =>
    all
      .map((one) => [random(), one] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, one]) => one)
  const files = [...new Bun.Glob('packages/*/src/**/*.{ts,tsx}').scanSync(ROOT)]
    .filter((file) => !/generated|\.d\.ts$/.test(file))
    .sort()
  const possible = files
    .filter((file) => file.startsWith(path))
    .flatMap(mutationsOf)
    .filter(({ file, line }) => changed?.has(`${file}:${line}`) ?? true)
  if (possible.length === 0) throw new Error('There is no such line to change.')
  const byFolder = Map.groupBy(possible, ({ file }) => folderOf(file))
  const queues = shuffled([...byFolder.values()]).map(shuffled)
  const mutations: Mutation[] = []
  for (let n = 0; queues.some((queue) => n < queue.length); n++)
    for (const queue of queues) if (queue[n]) mutations.push(queue[n] as Mutation)
  return mutations
}

/** Returns the lines of the product that changed since the commit, each as `FILE:LINE`. */
function changedSince(commit: string): Set<string> {
  const { stdout, stderr, success } = Bun.spawnSync(['git', 'diff', '-U0', '--no-prefix', commit, '--', 'packages'], {
    cwd: ROOT,
  })
  if (!success) throw new Error(stderr.toString())
  const lines = new Set<string>()
  let file = ''
  for (const [, name, first, count = '1'] of stdout
    .toString()
    .matchAll(/^(?:\+\+\+ (\S+)|@@ -\S+ \+(\d+)(?:,(\d+))? @@.*)$/gm)) {
    file = name ?? file
    for (let n = 0; first && n < Number(count); n++) lines.add(`${file}:${Number(first) + n}`)
  }
  return lines
}

function mutationsOf(file: string): Mutation[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((before, n) => {
      if (/^\s*(?:\/\/|\/?\*|import |export type|type |interface )/.test(before)) return []
      return CHANGES.filter(([piece]) => piece.test(before)).map(([piece, instead]) => {
        const after = before.replace(piece, instead as (found: string) => string)
        return { file, line: n + 1, before, after }
      })
    })
}

/** The folder of a file, such as packages/service/src/http, whose tests are in packages/service/test/http. */
function folderOf(file: string): string {
  const [, owner, , folder = '', inner = ''] = file.split('/')
  if (owner !== 'service') return `packages/${owner}/src`
  return join('packages/service/src', folder, folder === 'store' && !inner.includes('.') ? inner : '')
}

function testsOf(folder: string): string {
  return folder
    .replace('/src', '/test')
    .replace(/\/shared$/, '')
    .replace('/test/store/test', '/test/store')
}

/** Resolves to the first test that fails, or `undefined` if all pass. */
async function failing(folder: string, command: readonly string[], secondsMax: number): Promise<string | undefined> {
  const child = Bun.spawn([...command], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    endTree(child.pid)
  }, 1000 * secondsMax)
  const [output, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  if (isOver) return `tests that hang for ${secondsMax} s`
  if (status === 0) return undefined
  return (
    /\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(output + errors)?.[1] ?? (output + errors).trim().split('\n').at(-1) ?? ''
  )
}

/** Whether the change compiles. */
async function failsTypes(tree: string, { file }: Mutation): Promise<boolean> {
  const project = file.includes('/page/') ? 'packages/page/src' : '.'
  return (await failing(tree, ['node_modules/.bin/tsc', '-p', project], SECONDS_MAX.types)) !== undefined
}

async function noticedBy(tree: string, { file }: Mutation): Promise<string | undefined> {
  const bun = process.execPath
  const lint = ['node_modules/.bin/biome', 'lint', file]
  if ((await failing(tree, lint, SECONDS_MAX.lint)) !== undefined) return 'the linter'
  const inFolder = [bun, 'test', '--timeout', '60000', '--parallel', '--bail', testsOf(folderOf(file))]
  return (await failing(tree, inFolder, SECONDS_MAX.folder)) ?? failing(tree, [bun, 'test/run.ts'], SECONDS_MAX.all)
}

interface Options {
  seed: number
  mutations: number
  file?: string
  since?: string
}

const options = new Command('npm run mutate --')
  .description('Changes single lines of the product, one at a time, and says which tests notice.')
  .option('--seed <number>', 'which lines', parsedBy(count), 1)
  .option('--mutations <number>', 'how many', parsedBy(count), 60)
  .option('--file <path>', 'only files whose path starts with this, for example packages/files')
  .option('--since <commit>', 'only lines that changed since this commit')
  .parse()
  .opts<Options>()

const tree = mkdtempSync(join(tmpdir(), 'petstore-mutated-'))
// A stopped run leaves no processes and no files.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    rmSync(tree, { recursive: true, force: true })
    endTree(process.pid)
  })

try {
  const { stdout } = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: ROOT })
  for (const file of stdout.toString().split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(tree, file))
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  let [byTypes, tried, noticed] = [0, 0, 0]
  for (const mutation of chosen(options)) {
    if (tried === options.mutations) break
    const { file, line, before, after } = mutation
    const path = join(tree, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text
        .split('\n')
        .toSpliced(line - 1, 1, after)
        .join('\n'),
    )
    if (await failsTypes(tree, mutation)) byTypes++
    else {
      tried++
      const by = await noticedBy(tree, mutation)
      if (by !== undefined) noticed++
      const where = `${file.slice('packages/'.length)}:${line}`
      print(
        `${tried}. ${where}: ${before.trim()} → ${after.trim()}\n   ${by === undefined ? 'NOT NOTICED' : `noticed by ${by}`}`,
      )
    }
    writeFileSync(path, text)
  }
  print(`${noticed} of ${tried} noticed by tests or the linter; ${byTypes} others by the compiler`)
} finally {
  rmSync(tree, { recursive: true, force: true })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
