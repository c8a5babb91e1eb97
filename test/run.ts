// `npm test`: types, lint, generated files and every test, with the totals on the last line. `--fast` (`npm run
// check`) skips the tests that start processes. `--changed` runs only the test files that import a file that changed
// since HEAD. `--release` (`npm run test:release`) runs the second level: packages, tools and experiments. With
// `--complete`, a skipped test is a failure.
// `--update-timings` saves the duration of each file.

import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../scripts/audit.ts'
import { machineLoad } from './support/load.ts'
import { startShared } from './support/postgres.ts'
import { processorSeconds } from './support/processor-seconds.ts'
import { leaveNothing, runTests, summaryOf } from './support/runner.ts'

const root = join(import.meta.dir, '..')
const fast = process.argv.includes('--fast')
const release = process.argv.includes('--release')
/** Test files that start processes, databases or browsers. */
const SLOW = '.process.test.ts'
/** Test files of the second level. */
const RELEASE = '.release.test.ts'
/** The number of concurrent test files. They spend more than half of their time waiting. */
const WORKERS = 3 * availableParallelism()
/** The durations of test files. The longest start first, so that no processor is idle at the end. */
const TIMINGS = 'test/timings.json'
/** Below the limits of CI, even for two runs in sequence. */
const RUN_LIMIT_MS = Math.min(Math.round(25 * machineLoad()), 40) * 60_000
/** Additional time to end the tests and print the summary. */
const SUMMARY_MS = 30_000

/** More than the tests write. */
const ROOM_BYTES = 6e9
/** How many of the most expensive files are listed. */
const COSTLY = 10
/** The number of lines that are repeated from a failed step. */
const STEP_LINES = 30

/** For all test files. This process removes it, because the test runner ends without an exit event. */
const folder = inMemory() ?? newFolder(tmpdir())
leaveNothing(folder)

const { env } = process
env.TMPDIR = folder
const results = { passed: 0, failed: 0, skipped: 0 }
/** Each failure with its name on the first line. */
const failures: string[] = []

/** Checks of the first level that are not tests. */
const steps = () => [
  ...['.', 'packages/page/src', 'packages/page/reference', 'packages/page/test/logic'].map((folder) => {
    // The next run checks only files that a change can affect.
    const state = `node_modules/.types/${folder.replaceAll('/', '-')}.tsbuildinfo`
    return step(`types of ${folder}`, [
      'node_modules/.bin/tsc',
      '-p',
      folder,
      '--incremental',
      '--tsBuildInfoFile',
      state,
    ])
  }),
  step('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']),
  step('generated files', [process.execPath, 'scripts/generate.ts', '--check']),
]
process.stdout.write(
  `The load of the machine is ${machineLoad()}. A test can take ${Math.round(60 * machineLoad())} s, the run ${RUN_LIMIT_MS / 60_000} minutes.\n`,
)
setTimeout(() => {
  results.failed++
  failures.push('The run exceeded its time limit.')
  summarise()
}, RUN_LIMIT_MS + SUMMARY_MS).unref()
await Promise.all([tests(), ...(release ? [auditStep()] : steps())])
summarise()

function summarise(): never {
  process.stdout.write(`\n${costly()}\n`)
  if (process.argv.includes('--complete') && results.skipped > 0) {
    failures.push('--complete: Tests were skipped. The output has their names with the reasons.')
    results.failed += results.skipped
  }
  const { passed, failed, skipped } = results
  if (skipped > 0) process.stdout.write(`\n${skipped} skipped for the reasons above\n`)
  const { long, list } = summaryOf(failures)
  for (const failure of long) process.stdout.write(`\n${failure}\n`)
  process.stdout.write(`\n${list}\n${passed} passed, ${failed} failed\n`)
  // .ci/run adds up the totals, and repeats the failures of both levels.
  if (env.TEST_TOTALS) fs.appendFileSync(env.TEST_TOTALS, `${list}${passed} ${failed}\n`)
  process.exit(failed > 0 ? 1 : 0)
}

function newFolder(parent: string): string {
  const made = fs.mkdtempSync(join(parent, 'petstore-'))
  // PostgreSQL runs as another user, and must be able to enter the folder.
  fs.chmodSync(made, 0o755)
  return made
}

/** A folder in memory, because tests sync thousands of times, which takes 0.1 s each on a busy disk. */
function inMemory(): string | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync('/dev/shm')
    if (Math.min(bavail * bsize, freemem()) < ROOM_BYTES) return undefined
    const made = newFolder('/dev/shm')
    // The browser is unpacked there, but containers mount /dev/shm with noexec.
    const program = join(made, 'program')
    fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(program).status === 0) return made
    fs.rmSync(made, { recursive: true })
  } catch {}
  return undefined
}

/** The total processor time, and the files with the most. */
function costly(): string {
  const times = join(folder, 'processor-times')
  // It is missing if no test file has ended.
  const lines = fs.existsSync(times) ? fs.readFileSync(times, 'utf8').trim().split('\n') : []
  const files = lines.map((line) => {
    const [file = '', ...numbers] = line.split('\t')
    const [seconds = 0, processor = 0] = numbers.map(Number)
    return { file, seconds, processor }
  })
  const most = files.toSorted((one, other) => other.processor - one.processor).slice(0, COSTLY)
  return [
    `${files.length} files: ${(performance.now() / 1000).toFixed()} s, ${processorSeconds().toFixed()} s of processor time. The most expensive:`,
    ...most.map(
      ({ file, seconds, processor }) => `${processor.toFixed(1).padStart(5)} s in ${seconds.toFixed(1)} s: ${file}`,
    ),
  ].join('\n')
}

async function step(name: string, command: string[]): Promise<void> {
  const { ok, output } = await run(command)
  results[ok ? 'passed' : 'failed']++
  process.stdout.write(`${output}${ok ? 'ok' : 'FAILED'}: ${name}\n`)
  if (!ok) failures.push(`${name}:\n${output.trimEnd().split('\n').slice(-STEP_LINES).join('\n')}`)
}

async function auditStep(): Promise<void> {
  const { outcome, report } = await audit(root)
  results[outcome === 'ok' ? 'passed' : outcome]++
  process.stdout.write(
    `${outcome === 'failed' ? 'FAILED' : outcome}: audit of the packages ${report && `(${report})`}\n`,
  )
  if (outcome === 'failed') failures.push(`audit of the packages:\n${report}`)
}

/** Unpacks the browser before the tests, because two test files must not unpack it at the same time. */
async function unpackBrowser(): Promise<void> {
  const script = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()`
  const { ok, output } = await run([process.execPath, '-e', script])
  if (!ok) process.stdout.write(`The browser could not be unpacked: ${output}\n`)
}

/** Starts one server for all files that only need a database. If this fails, each file reports the error. */
async function startPostgres(): Promise<void> {
  const server = await startShared().catch(() => undefined)
  if (server) env.SUITE_POSTGRES_PORT = String(server.port)
}

/** Collects the output, so that outputs of concurrent commands do not mix. */
async function run(command: string[]): Promise<{ ok: boolean; output: string }> {
  const child = Bun.spawn(command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()))
  return { ok: (await child.exited) === 0, output: texts.join('') }
}

async function tests(): Promise<void> {
  if (!fast) await Promise.all([unpackBrowser(), startPostgres()])
  // Bun's glob does not support a slash in braces.
  const folders = ['packages/*/test', 'test', 'endurance/test', 'bench/test']
  const all = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync({ cwd: root })])
  const isWanted = (file: string) => file.endsWith(RELEASE) === release && !(fast && file.endsWith(SLOW))
  const files = all.filter((file) => !file.includes('/node_modules/') && isWanted(file))
  const passedOn = ['--update-timings', '--changed'].filter((flag) => process.argv.includes(flag))
  const flags = [`--parallel=${WORKERS}`, `--timings=${TIMINGS}`, ...passedOn]
  const [paths, options] = [files.map((file) => `./${file}`), { cwd: root, env, limitMs: RUN_LIMIT_MS }]
  const { failures: said, ...counts } = await runTests(paths, flags, join(folder, 'report.xml'), options)
  results.passed += counts.passed
  results.failed += counts.failed
  results.skipped += counts.skipped
  failures.push(...said)
}
