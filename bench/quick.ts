// Compares the working tree with a commit in alternating runs of one second. Takes eight minutes.

import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, onPostgres, ours } from './contenders.ts'
import { each, type Figure, ratios, type Summary } from './figures.ts'
import { ROOT, run, temporaryFolder } from './machine.ts'
import { WORK, type WorkName } from './requests.ts'
import { measureTogether } from './rounds.ts'

const PETS = 1e6
/** Several processes of each side, because two processes of the same program can differ by some percent. */
const SQLITE = { contender: ours, processes: 3, pace: { rounds: 2, seconds: 1 } }
/** One process of each side, because filling a database takes a minute. */
const POSTGRES = { contender: onPostgres, processes: 1, pace: { rounds: 6, seconds: 1 } }
const [OURS, THEIRS] = ['working tree', 'commit'] as const

/** `only` limits the kinds of work. Throws CannotRun if the commit does not exist. */
export async function quick(commit: string, only: readonly string[] | undefined, postgres: boolean): Promise<void> {
  const how = postgres ? POSTGRES : SQLITE
  using folder = temporaryFolder()
  const tree = join(folder.path, 'tree')
  run(['git', 'worktree', 'prune'])
  run(['git', 'worktree', 'add', '--detach', tree, commit])
  try {
    bringPackages(tree)
    const contenders = [how.contender(ROOT, OURS), how.contender(tree, THEIRS)]
    process.stdout.write(`working tree against ${commit}; above 1 is better\n`)
    process.stdout.write('               answers a second           answers in a second of processor time\n')
    const works = Object.keys(WORK).filter((work) => only?.includes(work) ?? true)
    for (const work of works as WorkName[])
      process.stdout.write(`${work.padEnd(15)}${await comparison(contenders, work, how)}\n`)
  } finally {
    run(['git', 'worktree', 'remove', '--force', tree])
  }
}

async function comparison(
  contenders: readonly Contender[],
  work: WorkName,
  { processes, pace }: Pick<typeof SQLITE, 'processes' | 'pace'>,
): Promise<string> {
  const figures: Figure[] = []
  for (let process = 0; process < processes; process++) {
    figures.push(...(await measureTogether(WORK[work], PETS, contenders, pace)))
  }
  const of = (name: string, kind: 'perSecond' | 'cpuUs') => each(figures, name, kind)
  const shown = ({ median, min, max }: Summary) => `${median.toFixed(3)} × (${min.toFixed(3)} to ${max.toFixed(3)})`
  const rates = ratios(of(OURS, 'perSecond'), of(THEIRS, 'perSecond'))
  // Invert the ratio: less processor time is better.
  return [rates, ratios(of(THEIRS, 'cpuUs'), of(OURS, 'cpuUs'))].map(shown).join('   ')
}

/** Shares the packages with the working tree if the commit has the same lock file, or installs them. */
function bringPackages(tree: string): void {
  const [own, theirs] = [ROOT, tree].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'))
  if (own === theirs) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  else run(['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], tree)
}
