// `npm run bench` measures the service and other servers, and writes bench/RESULTS.md. With --quick, it compares the working
// tree with a commit.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { parsedBy } from '../packages/cli/src/terminal/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'
import { installTools } from '../test/support/tools.ts'
import * as machine from './machine.ts'
import { quick } from './quick.ts'
import { resultsPage, table } from './report.ts'
import { WORK } from './requests.ts'
import { type Pace, say } from './rounds.ts'
import { measureRow, type Result, ROWS } from './rows.ts'

const RESULTS = join(import.meta.dir, 'RESULTS.md')

interface Options extends Pace {
  only?: string[]
  quick: boolean
  against: string
  postgres: boolean
}

const program = new Command('npm run bench --')
  .description('Measures the service and other servers in turn, and writes bench/RESULTS.md.')
  .addOption(new Option('--only <work...>', 'only this work, on the screen').choices(Object.keys(WORK)))
  .option('--rounds <number>', 'how often each contender is measured', parsedBy(count), 5)
  .option('--seconds <number>', 'how long a measurement takes, at most', parsedBy(count), 4)
  .option('--quick', 'compare only the working tree with a commit, in eight minutes', false)
  .option('--against <commit>', 'with --quick: the commit', 'HEAD')
  .option('--postgres', 'with --quick: on PostgreSQL', false)
  .action(async ({ only, rounds, seconds, ...options }: Options) => {
    machine.requireTools('wrk', 'taskset', ...(options.quick ? [] : ['nginx']))
    // Keep this process off the server's core, because it sends requests, too.
    machine.stayOn(machine.CORES.load)
    if (options.quick) return quick(options.against, only, options.postgres)
    // Fastify, and a Node for it unless the system has Node 24 or later.
    await installTools('bench', import.meta.dir)
    const results: Result[] = []
    for (const row of ROWS.filter(({ work }) => only?.includes(work) ?? true)) {
      say(`${row.work}: ${row.title}`)
      results.push(await measureRow(row, { rounds, seconds }))
    }
    process.stdout.write(`\n${table(results)}`)
    if (only) return
    const commit = machine.run(['git', 'rev-parse', '--short', 'HEAD'])
    const circumstances = `${machine.description()}\nCommit ${commit}, ${rounds} rounds of at most ${seconds} s.`
    writeFileSync(RESULTS, resultsPage(circumstances, results))
  })

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.stderr.write(`bench: ${error instanceof machine.CannotRun ? error.message : Bun.inspect(error)}\n`)
  process.exit(1)
}
