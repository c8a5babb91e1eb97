// `npm test`: types, lint, generated files and every test, each counted, with the sum on the last line.
// `--fast` (`npm run check`) leaves out the tests that start processes. `--release` (`npm run test:release`) runs the second level instead: tests of
// packages, tools and experiments. `--update-timings` keeps how long each file took.

import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../scripts/audit.ts'
import { machineLoad } from './support/load.ts'
import { startShared } from './support/postgres.ts'
import { processorSeconds } from './support/processor-seconds.ts'
import { leaveNothing, runTests } from './support/runner.ts'

const root = join(import.meta.dir, '..')
const fast = process.argv.includes('--fast')
const release = process.argv.includes('--release')
/** Files of tests that start processes, databases or browsers. */
const SLOW = '.process.test.ts'
/** Files of tests of the second level. */
const RELEASE = '.release.test.ts'
/** How many test files run at the same time. More than half of their time they wait. */
const WORKERS = 3 * availableParallelism()
/** How long each file takes. The longest are started first, so that none is left at the end while processors rest. */
const TIMINGS = 'test/timings.json'
/** The limit of the run is below that of every CI, also for two runs one after the other. */
const RUN_LIMIT_MS = Math.min(25 * machineLoad(), 40) * 60_000
/** How long the run may take beyond that to end its tests and print the summary. */
const SUMMARY_MS = 30_000

/** What tests write, with room to spare. */
const ROOM_BYTES = 6e9
/** How many files are named that took the most processor time. */
const COSTLY = 10
/** How many lines of a step that failed are repeated. */
const STEP_LINES = 30

/** Everything that tests leave behind. The test runner ends without an exit event, so this process removes it. */
const folder = inMemory() ?? newFolder(tmpdir())
leaveNothing(folder)

const { env } = process
env.TMPDIR = folder
const results = { passed: 0, failed: 0, skipped: 0 }
/** What failed said: repeated at the end of the output, of which CI shows no more. */
const failures: string[] = []

/** What needs no test file, and what only the first level checks. */
const steps = () => [
  step('types', ['node_modules/.bin/tsc', '-p', '.']),
  ...['packages/page/src', 'packages/page/reference', 'packages/page/test/logic'].map((page) =>
    step(`types of ${page}`, ['node_modules/.bin/tsc', '-p', page]),
  ),
  step('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']),
  step('generated files', [process.execPath, 'scripts/generate.ts', '--check']),
]
process.stdout.write(
  `The load of the machine is ${machineLoad()}: a test may take ${60 * machineLoad()} s, the run ${RUN_LIMIT_MS / 60_000} minutes.\n`,
)
setTimeout(() => {
  results.failed++
  failures.push('The run took too long.')
  summarise()
}, RUN_LIMIT_MS + SUMMARY_MS).unref()
await Promise.all([tests(), ...(release ? [auditStep()] : steps())])
summarise()

function summarise(): never {
  process.stdout.write(`\n${costly()}\n`)
  const { passed, failed, skipped } = results
  if (skipped > 0) process.stdout.write(`\n${skipped} skipped; each says why above\n`)
  for (const failure of failures) process.stdout.write(`\n${failure}\n`)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  // .ci/run adds them up.
  if (env.TEST_TOTALS) fs.appendFileSync(env.TEST_TOTALS, `${passed} ${failed}\n`)
  process.exit(failed > 0 ? 1 : 0)
}

function newFolder(parent: string): string {
  const made = fs.mkdtempSync(join(parent, 'petstore-'))
  // PostgreSQL, which refuses to run as root, has to get through it as another user.
  fs.chmodSync(made, 0o755)
  return made
}

/** Tests sync what they write thousands of times, for which a busy disk takes a tenth of a second each, and memory none. */
function inMemory(): string | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync('/dev/shm')
    if (Math.min(bavail * bsize, freemem()) < ROOM_BYTES) return undefined
    const made = newFolder('/dev/shm')
    // The browser is unpacked there, and programs are not started everywhere: a container's is mounted with noexec.
    const program = join(made, 'program')
    fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(program).status === 0) return made
    fs.rmSync(made, { recursive: true })
  } catch {}
  return undefined
}

/** What took the most processor time, and how much the whole run took. */
function costly(): string {
  const times = join(folder, 'processor-times')
  // No file of tests may have ended.
  const lines = fs.existsSync(times) ? fs.readFileSync(times, 'utf8').trim().split('\n') : []
  const files = lines.map((line) => {
    const [file = '', ...numbers] = line.split('\t')
    const [seconds = 0, processor = 0] = numbers.map(Number)
    return { file, seconds, processor }
  })
  const most = files.toSorted((one, other) => other.processor - one.processor).slice(0, COSTLY)
  return [
    `${files.length} files: ${(performance.now() / 1000).toFixed()} s, ${processorSeconds().toFixed()} s of processor time. The most:`,
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
}

/** Before the tests: two files that begin together would both unpack it, and one start what the other still writes. */
async function unpackBrowser(): Promise<void> {
  const script = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()`
  const { ok, output } = await run([process.execPath, '-e', script])
  if (!ok) process.stdout.write(`The browser could not be unpacked: ${output}\n`)
}

/** One server for all files that only need a database. Where it does not start, each of them says so. */
async function startPostgres(): Promise<void> {
  const server = await startShared().catch(() => undefined)
  if (server) env.SUITE_POSTGRES_PORT = String(server.port)
}

/** What it prints is kept, so that the output of several does not mix. */
async function run(command: string[]): Promise<{ ok: boolean; output: string }> {
  const child = Bun.spawn(command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()))
  return { ok: (await child.exited) === 0, output: texts.join('') }
}

async function tests(): Promise<void> {
  if (!fast) await Promise.all([unpackBrowser(), startPostgres()])
  // Bun finds nothing where braces hold a slash.
  const folders = ['packages/*/test', 'test', 'endurance/test', 'bench/test']
  const all = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync({ cwd: root })])
  const isWanted = (file: string) => file.endsWith(RELEASE) === release && !(fast && file.endsWith(SLOW))
  const files = all.filter((file) => !file.includes('/node_modules/') && isWanted(file))
  const updating = process.argv.includes('--update-timings') ? ['--update-timings'] : []
  const flags = [`--parallel=${WORKERS}`, `--timings=${TIMINGS}`, ...updating]
  const [paths, options] = [files.map((file) => `./${file}`), { cwd: root, env, limitMs: RUN_LIMIT_MS }]
  const { failures: said, ...counts } = await runTests(paths, flags, join(folder, 'report.xml'), options)
  results.passed += counts.passed
  results.failed += counts.failed
  results.skipped += counts.skipped
  failures.push(...said)
}
