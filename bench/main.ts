// `npm run bench`: measures the service beside its contenders and writes docs/performance.md. With --quick it compares the
// working tree with a commit.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { parsedBy } from '../src/cli/options.ts'
import { count } from '../src/config/setting-parsers.ts'
import { ROOT } from './contenders.ts'
import { CannotRun, CORES, describeMachine, installPeers, requireTools, stayOn, versions } from './machine.ts'
import { quick } from './quick.ts'
import { markdown, plots, targetsTable } from './report.ts'
import { type Results, type RowResult, resultsOf } from './results.ts'
import { type Pace, say } from './rounds.ts'
import { COMPARISONS, type Row } from './rows.ts'
import { OF_OURS } from './rows-of-ours.ts'

const ROWS: readonly Row[] = [...COMPARISONS, ...OF_OURS]
const FOLDER = join(ROOT, 'docs/performance')

interface Options extends Pace {
  only?: string[]
  write: boolean
  page: boolean
  quick: boolean
  against: string
  machine: string
}

const program = new Command('npm run bench --')
  .description(
    'Measures the service beside the floor of its runtime, nginx and Fastify, and writes docs/performance.md.',
  )
  .addOption(new Option('--only <rows...>', 'only these rows').choices(ROWS.map(({ name }) => name)))
  .option('--rounds <number>', 'how often each contender is measured', parsedBy(count), 5)
  .option('--seconds <number>', 'how long each measurement takes', parsedBy(count), 4)
  .option('--write', 'with --only: replace these rows in docs/performance.md', false)
  .option('--machine <name>', 'the name of this machine in docs/performance.md', describeMachine().name)
  .option('--page', 'measure nothing; write docs/performance.md from the results in docs/performance/', false)
  .option('--quick', 'compare only the working tree with a commit, in three minutes', false)
  .option('--against <commit>', 'with --quick: the commit', 'HEAD')
  .action(async (options: Options) => {
    if (options.page) return writePage()
    requireTools('wrk', 'taskset', ...(options.quick ? [] : (['nginx'] as const)))
    // This process sends requests, too: keep it off the server's core.
    stayOn(CORES.load)
    if (options.quick) return quick(options.against)
    installPeers()
    const results = await measureRows(options)
    process.stdout.write(`\n${targetsTable([results], ROWS)}\n`)
    if (options.only && !options.write) return
    keep(results)
    writePage()
  })

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof CannotRun ? error.message : Bun.inspect(error)}\n`)
  process.exit(1)
}

async function measureRows({ only, rounds, seconds, machine }: Options): Promise<Results> {
  const date = new Date().toISOString().slice(0, 10)
  const commit = currentCommit()
  const rows: RowResult[] = []
  for (const { name, title, run } of ROWS.filter((row) => only?.includes(row.name) ?? true)) {
    say(`${name}: ${title}`)
    const { figures, ...measured } = await run({ rounds, seconds })
    rows.push({ row: name, date, commit, rounds, seconds, ...measured, figures: resultsOf(figures) })
  }
  return { machine, description: describeMachine().description, versions: versions(), rows }
}

/** Puts these rows in the place of earlier ones of the same machine. One line for each row, with four digits of each number. */
function keep(now: Results): void {
  const earlier = machines().find(({ machine }) => machine === now.machine)
  const all = [...now.rows, ...(earlier?.rows ?? [])]
  const rows = ROWS.flatMap(({ name }) => all.find(({ row }) => row === name) ?? [])
  const short = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  const lines = rows.map((row) => JSON.stringify(row, short)).join(',\n')
  const { rows: _, ...head } = now
  mkdirSync(FOLDER, { recursive: true })
  const file = `${now.machine.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`
  writeFileSync(join(FOLDER, file), `${JSON.stringify(head).slice(0, -1)},"rows":[\n${lines}\n]}\n`)
}

function writePage(): void {
  const results = machines()
  for (const name of files('.svg')) rmSync(join(FOLDER, name))
  for (const [name, svg] of Object.entries(plots(results, ROWS))) writeFileSync(join(FOLDER, name), svg)
  writeFileSync(join(ROOT, 'docs/performance.md'), markdown(results, ROWS))
  process.stdout.write('wrote docs/performance.md\n')
}

function machines(): Results[] {
  return files('.json').map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
}

function files(ending: string): string[] {
  mkdirSync(FOLDER, { recursive: true })
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(ending))
    .sort()
}

function currentCommit(): string {
  const git = (...words: string[]) =>
    Bun.spawnSync(['git', ...words], { cwd: ROOT })
      .stdout.toString()
      .trim()
  const changed = git('status', '--porcelain', '--', 'src', 'openapi.yaml', 'package.json') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`
}
