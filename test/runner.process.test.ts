// The summary of failed tests, and the cleanup after an interrupted run.

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json'
import { temporaryFile } from './support/files.ts'
import { machineLoad } from './support/load.ts'
import { root, runProcess } from './support/process.ts'
import { isAlive } from './support/process-tree.ts'
import { rejectionOf } from './support/rejection.ts'
import { runTests, summaryOf } from './support/runner.ts'
import { until } from './support/until.ts'

const FILES = {
  'compared.test.ts': `
test('finds what "differs" in <a> & <b>', () => { expect({ a: 1 }).toEqual({ a: 2 }) })
test('passes \\0', () => {})
test.skip('is skipped', () => {})`,
  'thrown.test.ts': `
describe('outer', () => {
  test('throws', async () => { await Bun.sleep(1); throw new TypeError('first\\nsecond') })
  test('takes too long', async () => { await Bun.sleep(60_000) }, 50)
  test('says much', () => { throw new Error('many\\n'.repeat(1000)) })
})`,
  'hook.test.ts': `
beforeAll(() => { throw new Error('no beginning') })
test('is not reached', () => {})`,
  'killed.test.ts': `
test('kills', () => { process.kill(process.pid, 'SIGKILL') })`,
  'loaded.test.ts': `
throw new Error('not even loaded')`,
}

const LIMIT_MS = 60_000 * machineLoad()

test('repeats each failure with its message and place, shortened so that CI shows all of them', async () => {
  const folder = temporaryFile('failing')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from 'bun:test'${text}\n`)
  const files = Object.keys(FILES).map((name) => `./${name}`)
  const script = `
    const { runTests } = await import(${JSON.stringify(join(root, 'test/support/runner.ts'))})
    console.log(JSON.stringify(await runTests(${JSON.stringify(files)}, ['--parallel=2'], 'report.xml', { cwd: '.', limitMs: ${LIMIT_MS} })))`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const { failures, ...counts } = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1))

  expect(counts).toEqual({ passed: 1, failed: 6, skipped: 1 })
  const shown = (start: string) => failures.find((failure: string) => failure.startsWith(start))
  expect(shown('compared.test.ts: finds what "differs" in <a> & <b>\n')).toMatch(
    /- {3}"a": 2,\n[\s\S]*at compared.test.ts:2/,
  )
  expect(shown('thrown.test.ts: outer > throws\n')).toMatch(/TypeError: first\nsecond\n.* at thrown.test.ts:3/)
  expect(shown('thrown.test.ts: outer > takes too long\n')).toContain('timed out')
  expect(shown('hook.test.ts: (unnamed)\n')).toMatch(/no beginning\n.* at hook.test.ts:2/)
  expect(shown('killed.test.ts: (worker crashed)\n')).toContain('crashed')
  expect(shown('loaded.test.ts: outside the tests\n')).toContain('not even loaded')
  expect(failures).toHaveLength(7)
  const { long, list } = summaryOf(failures)
  const much = /thrown.test.ts: outer > says much\nError: many\nmany\n[\s\S]*\n…\n[\s\S]* at .*thrown.test.ts:5/
  expect(long).toContainEqual(expect.stringMatching(much))
  expect(long.join('\n\n').split('\n').length).toBeLessThan(120)
  expect(list).toStartWith('Failed:\n')
  expect(list).toContain('\n  thrown.test.ts: outer > throws\n      TypeError: first\n      second\n')
  expect(list).toMatch(/\n {2}loaded.test.ts: outside the tests\n {6}error: not even loaded\n {6}at .*loaded.test.ts:2/)
  expect(list.match(/\n {2}\S/g)).toHaveLength(7)
  // The runner's own output is also printed.
  expect(stderr).toContain('(fail) outer > throws')
  expect([stderr.includes('␀'), stderr.includes('\0')]).toEqual([true, false])
})

test('prints the logs of the servers of a failed test file', async () => {
  const folder = temporaryFile('logging')
  mkdirSync(folder)
  const preload = ['time-limit.ts', 'after-file.ts'].map((name) => join(root, 'test/support', name))
  writeFileSync(join(folder, 'bunfig.toml'), `[test]\npreload = ${JSON.stringify(preload)}\n`)
  for (const status of [0, 500]) {
    const served = "await serve(['--ephemeral'], { env: { PETSTORE_ACCESS_LOG: 'all' } })"
    const body = `const service = ${served}
      const answer = await fetch(service.url + '/p${status}')
      await service.logs('/p${status}')
      expect(answer.status).toBe(${404 - status})`
    writeFileSync(
      join(folder, `s${status}.test.ts`),
      `import { expect, test } from 'bun:test'\nimport { serve } from '${root}/test/support/process.ts'\ntest('it', async () => { ${body} })\n`,
    )
  }
  const script = `
    const { runTests } = await import(${JSON.stringify(join(root, 'test/support/runner.ts'))})
    await runTests(['./s0.test.ts', './s500.test.ts'], ['--parallel=2'], 'report.xml', { cwd: '.', limitMs: ${LIMIT_MS} })`
  const env = { ...(process.env as Record<string, string>), SUITE_FOLDER: folder }
  const { stdout } = await runProcess(['-e', script], { command: [process.execPath], cwd: folder, env })
  expect(stdout).toMatch(/\nThe log of a server in s500\.test\.ts:\n[\s\S]*\/p500/)
  expect(stdout).not.toContain('/p0')
})

test('a run that exceeds its limit kills its processes, and lists unfinished files', async () => {
  const folder = temporaryFile('hanging')
  mkdirSync(folder)
  const write = (name: string, body: string) =>
    writeFileSync(join(folder, name), `import { test } from 'bun:test'\ntest('it', async () => { ${body} }, 1e9)\n`)
  write('quick.test.ts', '')
  const child = `Bun.spawn(['sleep', '1000'], { stdio: ['ignore', 'inherit', 'inherit'] })`
  const forever = 'await new Promise((resolve) => setTimeout(resolve, 1e9))'
  write('hanging.test.ts', `await Bun.write('pid', String(${child}.pid)); ${forever}`)
  const [files, options] = [['./quick.test.ts', './hanging.test.ts'], { cwd: folder, limitMs: 4_000 * machineLoad() }]
  const { failed, failures } = await runTests(files, ['--parallel=2'], 'report.xml', options)
  expect(failed).toBe(1)
  expect(failures).toEqual([expect.stringMatching(/Unfinished files: \.\/hanging\.test\.ts$/)])
  expect(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false)
})

/** Starts a child process, and an orphan in a new session, like a browser. */
const RUN = `
const { leaveNothing } = await import(${JSON.stringify(join(root, 'test/support/runner.ts'))})
const { mkdirSync } = await import('node:fs')
mkdirSync('left')
leaveNothing(process.cwd() + '/left')
const child = Bun.spawn(['sleep', '1000'])
const orphan = Bun.spawnSync(['sh', '-c', 'setsid sleep 1000 >left/log 2>&1 & echo $!'], { env: process.env })
await Bun.write('pids', [process.pid, child.pid, Number(orphan.stdout)].join(' ') + '\\n')
await child.exited`

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
  'a run ends its processes and removes its files if npm gets %s',
  async (signal) => {
    const folder = temporaryFile('stopped')
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    symlinkSync(process.execPath, join(folder, 'node_modules/.bin/bun'))
    const script = packageJson.scripts.test.replace(/^.* && /, 'true && ').replace('test/run.ts', 'run.ts')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: script } }))
    writeFileSync(join(folder, 'run.ts'), RUN)
    const npm = Bun.spawn(['npm', 'test'], { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] })
    const pids = () => (existsSync(join(folder, 'pids')) ? readFileSync(join(folder, 'pids'), 'utf8') : '')
    await until('the run starts its processes', () => pids().endsWith('\n'))
    npm.kill(signal)
    await until('its processes are gone', () => !pids().trim().split(' ').map(Number).some(isAlive))
    await until('its files are gone', () => !existsSync(join(folder, 'left')))
    await npm.exited
  },
)

test('with --changed runs only test files that import a changed file, or none', async () => {
  const cwd = temporaryFile('changed')
  mkdirSync(cwd)
  for (const name of ['a', 'b']) {
    const text = `import './${name}.ts'\nimport { test } from 'bun:test'\ntest('it', () => {})\n`
    writeFileSync(join(cwd, `${name}.test.ts`), text)
    writeFileSync(join(cwd, `${name}.ts`), '')
  }
  const commit = 'git init -q && git add . && git -c user.name=a -c user.email=a@b.example commit -qm a'
  expect(Bun.spawnSync(['sh', '-c', commit], { cwd }).exitCode).toBe(0)
  const counts = () =>
    runTests(['./a.test.ts', './b.test.ts'], ['--changed'], join(cwd, 'report.xml'), { cwd, limitMs: LIMIT_MS })
  expect(await counts()).toMatchObject({ passed: 0, failed: 0 })
  writeFileSync(join(cwd, 'a.ts'), '// changed')
  expect(await counts()).toMatchObject({ passed: 1, failed: 0 })
})

test('rejects an empty list of files', async () => {
  const run = runTests([], [], 'report.xml', { cwd: root, limitMs: 1 })
  expect(await rejectionOf(run)).toEqual(new Error('No file has tests.'))
})
