// What `npm test` says at its end about tests that failed: Bun's runner runs a folder of them.

import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { root } from './support/process.ts'
import { rejectionOf } from './support/rejection.ts'
import { runTests } from './support/runner.ts'

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

test('each failed test is shown again, with what it said and where, shortened so that CI shows all of it', async () => {
  const folder = temporaryFile('failing')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from 'bun:test'${text}\n`)
  const files = Object.keys(FILES).map((name) => `./${name}`)
  const script = `
    const { runTests } = await import(${JSON.stringify(join(root, 'test/support/runner.ts'))})
    console.log(JSON.stringify(await runTests(${JSON.stringify(files)}, ['--parallel=2'], 'report.xml', { cwd: '.', limitMs: 60_000 })))`
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
  expect(shown('thrown.test.ts: outer > says much\n')).toMatch(
    /Error: many\nmany\n[\s\S]*\n…\n[\s\S]* at thrown.test.ts:5/,
  )
  expect(shown('hook.test.ts: (unnamed)\n')).toMatch(/no beginning\n.* at hook.test.ts:2/)
  expect(shown('killed.test.ts: (worker crashed)\n')).toContain('crashed')
  expect(shown('beside the tests:\n')).toContain('not even loaded')
  expect(failures).toHaveLength(7)
  expect(failures.join('\n\n').split('\n').length).toBeLessThan(120)
  // While it runs, the runner's own output goes on, too.
  expect(stderr).toContain('(fail) outer > throws')
  expect([stderr.includes('␀'), stderr.includes('\0')]).toEqual([true, false])
})

test('a run that takes too long ends, and says which files it waited for', async () => {
  const folder = temporaryFile('hanging')
  mkdirSync(folder)
  const write = (name: string, body: string) =>
    writeFileSync(join(folder, name), `import { test } from 'bun:test'\ntest('it', async () => { ${body} })\n`)
  write('quick.test.ts', '')
  write('hanging.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 1e9))')
  const { failed, failures } = await runTests(
    ['./quick.test.ts', './hanging.test.ts'],
    ['--parallel=2'],
    'report.xml',
    {
      cwd: folder,
      limitMs: 4_000,
    },
  )
  expect(failed).toBe(1)
  expect(failures).toEqual([expect.stringMatching(/It waited for: \.\/hanging\.test\.ts$/)])
})

test('no files are not all files', async () => {
  const run = runTests([], [], 'report.xml', { cwd: root, limitMs: 1 })
  expect(await rejectionOf(run)).toEqual(new Error('No file has tests.'))
})
