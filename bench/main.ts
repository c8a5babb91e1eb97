// `npm run bench` compares the service with the bare runtime, which is its limit; with --quick, the working tree with a commit. Prints
// ratios of alternating runs, because the speed of a machine changes.

import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { parsedBy } from '../packages/cli/src/terminal/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'
import { type Contender, FLOOR, onPostgres, ours, US } from './contenders.ts'
import { each, type Figure, ratios, type Summary } from './figures.ts'
import * as machine from './machine.ts'
import { WORK, type WorkName } from './requests.ts'
import { measureTogether, type Pace } from './rounds.ts'

/** The targets of the service, as shares of the rate of the bare runtime. */
const TARGETS: Readonly<Partial<Record<WorkName, number>>> = {
  list: 0.95,
  filtered: 0.95,
  'not-modified': 1,
  pages: 0.55,
  pet: 0.75,
  create: 0.6,
  place: 0.5,
  complete: 0.5,
}
const PETS = 1e6
/** Several processes of each side, because two processes of the same program can differ by some percent. */
const ON_SQLITE = { contender: ours, processes: 3, pace: { rounds: 2, seconds: 1 } }
/** One process of each side, because filling a database takes a minute. */
const ON_POSTGRES = { contender: onPostgres, processes: 1, pace: { rounds: 6, seconds: 1 } }

interface Options extends Pace {
  only?: WorkName[]
  quick: boolean
  against: string
  postgres: boolean
}

const program = new Command('npm run bench --')
  .description('Compares the service with the bare runtime, or with a commit.')
  .addOption(new Option('--only <work...>', 'only this work').choices(Object.keys(WORK)))
  .option('--rounds <number>', 'how often each side is measured', parsedBy(count), 5)
  .option('--seconds <number>', 'how long a measurement takes', parsedBy(count), 4)
  .option('--quick', 'compare the working tree with a commit, in eight minutes', false)
  .option('--against <commit>', 'with --quick: the commit', 'HEAD')
  .option('--postgres', 'with --quick: on PostgreSQL', false)
  .action(async (options: Options) => {
    machine.requireTools('wrk', 'taskset')
    // Keep this process off the server's core, because it sends requests, too.
    machine.stayOn(machine.CORES.load)
    await (options.quick ? compareWithCommit(options) : compareWithFloor(options))
  })

async function compareWithFloor({ only = Object.keys(TARGETS) as WorkName[], ...pace }: Options): Promise<void> {
  process.stdout.write(`${machine.description()}\nthe service against the bare runtime; target\n`)
  for (const work of only) {
    const { rates } = await compared([US, FLOOR], work, 1, pace)
    process.stdout.write(`${work.padEnd(15)}${shown(rates)}   ${TARGETS[work] ?? ''}\n`)
  }
}

/** Throws CannotRun if the commit does not exist. */
async function compareWithCommit({ only, against, postgres }: Options): Promise<void> {
  const { contender, processes, pace } = postgres ? ON_POSTGRES : ON_SQLITE
  using folder = machine.temporaryFolder()
  const tree = join(folder.path, 'tree')
  machine.run(['git', 'worktree', 'prune'])
  machine.run(['git', 'worktree', 'add', '--detach', tree, against])
  try {
    bringPackages(tree)
    process.stdout.write(`working tree against ${against}; above 1 is better\n`)
    process.stdout.write('               answers a second           answers in a second of processor time\n')
    for (const work of only ?? (Object.keys(WORK) as WorkName[])) {
      const contenders = [contender(machine.ROOT, 'working tree'), contender(tree, 'commit')] as const
      const { rates, costs } = await compared(contenders, work, processes, pace)
      process.stdout.write(`${work.padEnd(15)}${shown(rates)}   ${shown(costs)}\n`)
    }
  } finally {
    machine.run(['git', 'worktree', 'remove', '--force', tree])
  }
}

/** Resolves with ratios of the first side to the second: of their rates, and of their responses for each second of processor time. */
async function compared(
  sides: readonly [Contender, Contender],
  work: WorkName,
  processes: number,
  pace: Pace,
): Promise<{ rates: Summary; costs: Summary }> {
  const figures: Figure[] = []
  for (let process = 0; process < processes; process++)
    figures.push(...(await measureTogether(WORK[work], PETS, sides, pace)))
  const [one, other] = sides
  return {
    rates: ratios(each(figures, one.name, 'perSecond'), each(figures, other.name, 'perSecond')),
    costs: ratios(each(figures, other.name, 'cpuUs'), each(figures, one.name, 'cpuUs')),
  }
}

function shown({ median, min, max }: Summary): string {
  return `${median.toFixed(3)} × (${min.toFixed(3)} to ${max.toFixed(3)})`
}

/** Shares the packages with the working tree if the commit has the same lock file, or installs them. */
function bringPackages(tree: string): void {
  const [own, theirs] = [machine.ROOT, tree].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'))
  if (own === theirs) symlinkSync(join(machine.ROOT, 'node_modules'), join(tree, 'node_modules'))
  else machine.run(['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], tree)
}

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof machine.CannotRun ? error.message : Bun.inspect(error)}\n`)
  process.exit(1)
}
