// The working tree beside a commit, in alternating runs of a second: has a change helped? Answers in under a minute.

import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, ours, ROOT } from './contenders.ts'
import { type Figure, figureOf, rateRatio } from './results.ts'
import { measureTogether, say, withFolder } from './rounds.ts'
import { entry, WORK, type Work } from './rows.ts'
import { type Ratio, ratio } from './statistics.ts'
import { CannotRun } from './tools.ts'

const ANIMALS = 100_000
/** Two processes of the same program may differ by some percent: several of each are measured. */
const PROCESSES = 3
const PACE = { rounds: 2, seconds: 1, warmUpSeconds: 1 }
const ASKED = { list: WORK.list, get: WORK.animal, create: WORK.create }

/** Throws an Error when there is no such commit. */
export async function quick(commit: string): Promise<void> {
  git('worktree', 'prune')
  await withFolder(async (folder) => {
    const tree = join(folder, 'tree')
    git('worktree', 'add', '--detach', tree, commit)
    try {
      bringPackages(tree)
      const contenders = [ours(ROOT, { name: 'working tree' }), ours(tree, { name: commit })]
      process.stdout.write(`working tree against ${commit} (${git('rev-parse', '--short', commit)})\n`)
      process.stdout.write('        answers a second           answers a second of processor time\n')
      for (const [name, work] of Object.entries(ASKED)) {
        say(name)
        process.stdout.write(`${name.padEnd(8)}${await comparison(contenders, work, commit)}\n`)
      }
    } finally {
      git('worktree', 'remove', '--force', tree)
    }
  })
}

async function comparison(contenders: readonly Contender[], work: Work, commit: string): Promise<string> {
  const all: Figure[] = contenders.map(({ name }) => ({ name, runs: [] }))
  for (let process = 0; process < PROCESSES; process++) {
    const figures = await measureTogether(
      contenders.map((contender) => entry(contender, work, ANIMALS)),
      PACE,
    )
    for (const { name, runs } of figures) figureOf(all, name).runs.push(...runs)
  }
  const [ofTree = [], ofCommit = []] = all.map(({ runs }) => runs.map(({ cpuUs }) => cpuUs))
  // Less processor time is more work: the commit's over the tree's.
  return `${spread(rateRatio(all, 'working tree', commit))}   ${spread(ratio(ofCommit, ofTree))}`
}

/** The same lock file: the same packages, so they are shared. */
function bringPackages(tree: string): void {
  const lock = 'package-lock.json'
  if (existsSync(join(ROOT, 'node_modules')) && read(join(tree, lock)) === read(join(ROOT, lock))) {
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    return
  }
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], {
    cwd: tree,
    stdio: ['ignore', 2, 2],
  })
  if (exitCode !== 0) throw new CannotRun('The packages of the commit could not be installed; npm says above why.')
}

function git(...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...words], { cwd: ROOT })
  if (exitCode !== 0) throw new CannotRun(`git ${words.join(' ')}: ${stderr.toString().trim()}`)
  return stdout.toString().trim()
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

function spread({ median, min, max }: Ratio): string {
  return `${median.toFixed(3)} × (${min.toFixed(3)} to ${max.toFixed(3)})`
}
