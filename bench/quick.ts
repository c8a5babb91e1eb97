// The working tree beside a commit, in alternating runs of one second. Shows within three minutes whether a change is faster.

import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, ours, ROOT } from './contenders.ts'
import { withFolder } from './folders.ts'
import { CannotRun } from './machine.ts'
import { WORK, type Work } from './requests.ts'
import { each, type Figure } from './results.ts'
import { measureTogether, say } from './rounds.ts'
import { entry } from './rows.ts'
import { ratio, type Summary } from './statistics.ts'

const PETS = 1e6
/** Two processes of the same program may differ by some percent, so several of each are measured. */
const PROCESSES = 3
const PACE = { rounds: 2, seconds: 1 }
const WARM_UP_SECONDS = 1

/** Throws CannotRun when there is no such commit. */
export async function quick(commit: string): Promise<void> {
  git('worktree', 'prune')
  await withFolder(async (folder) => {
    const tree = join(folder, 'tree')
    git('worktree', 'add', '--detach', tree, commit)
    try {
      bringPackages(tree)
      const contenders = [ours(ROOT, { name: 'working tree' }), ours(tree, { name: 'commit' })]
      process.stdout.write(
        `working tree against ${commit} (${git('rev-parse', '--short', commit)}); above 1 is better\n`,
      )
      process.stdout.write('               answers a second           answers in a second of processor time\n')
      for (const [name, work] of Object.entries(WORK)) {
        say(name)
        process.stdout.write(`${name.padEnd(15)}${await comparison(contenders, work)}\n`)
      }
    } finally {
      git('worktree', 'remove', '--force', tree)
    }
  })
}

async function comparison(contenders: readonly Contender[], work: Work): Promise<string> {
  const all: Figure[] = contenders.map(({ name }) => ({ name, runs: [] }))
  for (let process = 0; process < PROCESSES; process++) {
    const entries = contenders.map((contender) => entry(contender, work, PETS))
    const figures = await measureTogether(entries, PACE, WARM_UP_SECONDS)
    for (const [index, { runs }] of figures.entries()) all[index]?.runs.push(...runs)
  }
  const rate = ratio(each(all, 'working tree', 'perSecond'), each(all, 'commit', 'perSecond'))
  const processorTime = ratio(each(all, 'commit', 'cpuUs'), each(all, 'working tree', 'cpuUs'))
  return `${shown(rate)}   ${shown(processorTime)}`
}

/** The packages are shared with the working tree if the commit has the same lock file, and installed otherwise. */
function bringPackages(tree: string): void {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lock(tree) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    return
  }
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], {
    cwd: tree,
    stdio: ['ignore', 2, 2],
  })
  if (exitCode !== 0) throw new CannotRun('npm could not install the packages of the commit; see its message above.')
}

export function git(...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...words], { cwd: ROOT })
  if (exitCode !== 0) throw new CannotRun(`git ${words.join(' ')}: ${stderr.toString().trim()}`)
  return stdout.toString().trim()
}

function shown({ median, min, max }: Summary): string {
  return `${median.toFixed(3)} × (${min.toFixed(3)} to ${max.toFixed(3)})`
}
