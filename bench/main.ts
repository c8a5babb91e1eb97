// `npm run bench`: measures the service beside its contenders and writes docs/performance.md. With --quick it compares the
// working tree with a commit.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { parsedBy } from '../src/cli/options.ts'
import { count } from '../src/config/setting-parsers.ts'
import { ROOT } from './contenders.ts'
import { CannotRun, CORES, describeMachine, installPeers, requireTools, stayOn } from './machine.ts'
import { git, quick } from './quick.ts'
import { markdown, type Result, sections } from './report.ts'
import { type Pace, say } from './rounds.ts'
import { COMPARISONS, type Row } from './rows.ts'
import { OF_OURS } from './rows-of-ours.ts'

const ROWS: readonly Row[] = [...COMPARISONS, ...OF_OURS]

interface Options extends Pace {
  only?: string[]
  quick: boolean
  against: string
}

const program = new Command('npm run bench --')
  .description(
    'Measures the service beside the floor of its runtime, nginx and Fastify, and writes docs/performance.md.',
  )
  .addOption(new Option('--only <rows...>', 'only these rows, on the screen').choices(ROWS.map(({ name }) => name)))
  .option('--rounds <number>', 'how often each contender is measured', parsedBy(count), 5)
  .option('--seconds <number>', 'how long each measurement takes', parsedBy(count), 4)
  .option('--quick', 'compare only the working tree with a commit, in three minutes', false)
  .option('--against <commit>', 'with --quick: the commit', 'HEAD')
  .action(async ({ only, rounds, seconds, ...options }: Options) => {
    requireTools('wrk', 'taskset', ...(options.quick ? [] : (['nginx'] as const)))
    // This process sends requests, too: keep it off the server's core.
    stayOn(CORES.load)
    if (options.quick) return quick(options.against)
    installPeers()
    const results: Result[] = []
    for (const { name, title, run } of ROWS.filter((row) => only?.includes(row.name) ?? true)) {
      say(`${name}: ${title}`)
      results.push({ title, ...(await run({ rounds, seconds })) })
    }
    if (only) {
      process.stdout.write(`\n${sections(results)}`)
      return
    }
    const now = `${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}`
    const page = markdown(`${describeMachine()} ${now}, ${rounds} rounds of ${seconds} s.`, results)
    writeFileSync(join(ROOT, 'docs/performance.md'), page)
  })

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof CannotRun ? error.message : Bun.inspect(error)}\n`)
  process.exit(1)
}
