// `npm run bench`: the service beside what it is compared with, as docs/performance.md. With --quick: the working tree
// beside a commit, for daily use.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { ROOT } from './contenders.ts'
import { CORES, describeMachine, stayOn, versions } from './machine.ts'
import { quick } from './quick.ts'
import { markdown, plots, RESULTS_FILE, targetsTable } from './report.ts'
import type { Results, RowResult } from './results.ts'
import { type Pace, say } from './rounds.ts'
import { type Row, THROUGHPUT } from './rows.ts'
import { OF_OURS } from './rows-of-ours.ts'
import { CannotRun, installPeers, requireTools } from './tools.ts'

const ROWS: readonly Row[] = [...THROUGHPUT, ...OF_OURS]
const DOCS = join(ROOT, 'docs')

interface Options extends Pace {
  only?: Row[]
  write: boolean
  quick: boolean
  against: string
}

const program = new Command('npm run bench --')
  .description('Measures the service beside nginx, Fastify and others, and writes docs/performance.md.')
  .option(
    '--only <rows>',
    `only these rows, separated by commas: ${ROWS.map(({ name }) => name).join(', ')}`,
    rowsNamed,
  )
  .option('--rounds <number>', 'how often each contender is measured', count, 5)
  .option('--seconds <number>', 'how long each time', count, 4)
  .option('--write', 'with --only: put these rows into docs/performance.md, beside those measured before', false)
  .option('--quick', 'only the working tree beside a commit: list, get and create, in under a minute', false)
  .option('--against <commit>', 'with --quick: the commit', 'HEAD')
  .action(async (options: Options) => {
    requireTools('wrk', 'taskset', ...(options.quick ? [] : ['nginx']))
    // It asks now and then, too: never from the server's core.
    stayOn(CORES.load)
    if (options.quick) return quick(options.against)
    installPeers()
    const results = await measureRows(options)
    process.stdout.write(`\n${targetsTable(results.rows)}\n`)
    if (!options.only || options.write) write(options.only ? mergedWithEarlier(results) : results)
  })

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof CannotRun ? error.message : Bun.inspect(error)}\n`)
  process.exit(1)
}

async function measureRows({ only = [...ROWS], rounds, seconds }: Options): Promise<Results> {
  const date = new Date().toISOString().slice(0, 10)
  const commit = currentCommit()
  const rows: RowResult[] = []
  for (const { name, title, run } of only) {
    say(`${name}: ${title}`)
    rows.push({ row: name, title, date, commit, rounds, seconds, ...(await run({ rounds, seconds })) })
  }
  return { machine: describeMachine(), versions: versions(), rows }
}

function write(results: Results): void {
  const folder = join(DOCS, 'performance')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = { [RESULTS_FILE]: `${JSON.stringify(results, null, 1)}\n`, ...plots(results) }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(DOCS, 'performance.md'), markdown(results))
  process.stdout.write('wrote docs/performance.md\n')
}

/** In the order of the table; a row measured now takes the place of an earlier one. */
function mergedWithEarlier(now: Results): Results {
  const path = join(DOCS, 'performance', RESULTS_FILE)
  if (!existsSync(path)) return now
  const earlier: Results = JSON.parse(readFileSync(path, 'utf8'))
  const all = [...now.rows, ...earlier.rows]
  return { ...now, rows: ROWS.flatMap(({ name }) => all.find(({ row }) => row === name) ?? []) }
}

function currentCommit(): string {
  const git = (...words: string[]) =>
    Bun.spawnSync(['git', ...words], { cwd: ROOT })
      .stdout.toString()
      .trim()
  const changed = git('status', '--porcelain', '--', 'src', 'openapi.yaml', 'package.json') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`
}

function rowsNamed(text: string): Row[] {
  return text.split(',').map((name) => {
    const found = ROWS.find((row) => row.name === name.trim())
    if (!found) throw new InvalidArgumentError(`There is no row ${name}.`)
    return found
  })
}

function count(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 1000) {
    throw new InvalidArgumentError('Give a whole number from 1 to 1000.')
  }
  return number
}
