// `petstore/testing` of the npm package, under each test runner in docs/testing.md.

import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainNode } from './support/artefacts.ts'
import { BESIDE, BUN, folder, install, unpack } from './support/installed.ts'
import { answers, run } from './support/process.ts'
import { expectReleased } from './support/released.ts'
import { project, SNIPPETS } from './support/snippets.ts'
import { until } from './support/until.ts'

describe('petstore/testing', () => {
  let cwd: string
  beforeAll(() => {
    cwd = folder()
    install(join(cwd, 'node_modules'), `${BESIDE}/bin/bun`, 'bun')
    unpack(join(cwd, 'node_modules'))
    writeFileSync(join(cwd, 'package.json'), '{ "devDependencies": { "petstore": "*" } }')
    writeFileSync(join(cwd, 'program.test.mjs'), PROGRAM)
    writeFileSync(join(cwd, 'forgets.mjs'), FORGETS)
  })

  const deno = process.env.DENO ?? Bun.which('deno')
  const RUNNERS: [string, string[]][] = [
    ['node:test', ['node', '--test', 'program.test.mjs']],
    ['Bun', [BUN, 'test', '--timeout', '600000', 'program.test.mjs']],
    ['Deno', [deno ?? 'deno', 'test', '--no-check', '--allow-all', 'program.test.mjs']],
  ]
  for (const [name, command] of RUNNERS) {
    const here = name !== 'Deno' || deno !== null
    test.skipIf(!here)(`works in ${name}${here ? '' : ': skipped, there is no deno on the PATH'}`, async () => {
      // Settings of other services are ignored.
      const env = { PETSTORE_RATE_LIMIT: '1/m', PETSTORE_DATABASE: '/none/none' }
      const result = await run([], { command, cwd, env })
      expect(`${result.stdout}${result.stderr}`).toContain('4 tests passed')
      expect(result.status).toBe(0)
    })
  }

  for (const [name, snippet] of Object.entries(SNIPPETS)) {
    if (snippet.packages || name === 'Deno') continue
    const { command } = snippet
    const here =
      name === 'pytest'
        ? Bun.spawnSync(['python3', '-m', 'pytest', '--version']).success
        : Bun.which(command[0] as string)
    test.skipIf(!here)(
      `works as printed in docs/testing.md: ${name}${here ? '' : ': skipped, it is not installed'}`,
      async () => {
        const folder = project(snippet, join(cwd, 'node_modules/petstore'))
        const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
        const { status, stdout, stderr } = await run([], { command, cwd: folder, env: { PATH } })
        expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
      },
    )
  }

  test('exports every released name and member', () => {
    const declared = readFileSync(join(cwd, 'node_modules/petstore/dist/testing/testing.d.ts'), 'utf8')
    const [, ...parts] = declared.split(/^export (?:declare function|interface) /m)
    const names = parts.flatMap((text) => {
      const [name = ''] = text.split(/\W/)
      return [name, ...text.matchAll(/^ +(?:readonly )?(\w+)[?(:]/gm).map(([, member]) => `${name}.${member}`)]
    })
    expectReleased('testing', names)
  })

  test('petstore/testing can be loaded by require', async () => {
    writeFileSync(join(cwd, 'program.cjs'), `require('petstore/testing').startPetstore().then(({ stop }) => stop())`)
    expect(await run(['program.cjs'], { command: plainNode, cwd })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  for (const signal of [undefined, 'SIGKILL'] as const) {
    test(`the service ends with the process that started it, by ${signal ?? 'a normal exit without stop()'}`, async () => {
      const child = Bun.spawn(['node', 'forgets.mjs', signal ?? 'ends'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
      let url = ''
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        url = text.trim()
        if (signal) child.kill(signal)
      }
      await child.exited
      await until('the service has ended', async () => !(await answers(url)))
    })
  }
})

/** Uses only APIs of Node, Bun and Deno. */
const PROGRAM = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPetstore } from 'petstore/testing'

let passed = 0
let store
const pets = async () => (await fetch(store.url + '/pets?limit=100', headers())).json()
const headers = () => ({ headers: { Authorization: 'Bearer ' + store.apiKey, 'Content-Type': 'application/json' } })
const add = async (name = 'Rex') => (await fetch(store.url + '/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 7 }), ...headers() })).json()

test('starts empty', async () => {
  store = await startPetstore()
  assert.deepEqual(await pets(), [])
  passed++
})
test('reset empties the store and its caches', async () => {
  const { url, apiKey } = store
  for (let round = 0; round < 20; round++) {
    assert.deepEqual(await pets(), [])
    // The same number of commits each time, so that a stale cache entry would match.
    assert.equal((await add('Rex ' + round)).id, 1)
    assert.deepEqual((await pets()).map(({ name }) => name), ['Rex ' + round])
    await store.reset()
  }
  assert.deepEqual([store.url, store.apiKey], [url, apiKey])
  passed++
})
test('starts with sample pets, even after a reset; two services share nothing', async () => {
  const other = store
  store = await startPetstore({ demo: true })
  const samples = await pets()
  assert.ok(samples.length > 10)
  await add()
  await store.reset()
  assert.deepEqual(await pets(), samples)
  await store.stop()
  store = other
  assert.deepEqual(await pets(), [])
  passed++
})
test('stop ends the service', async () => {
  await store.stop()
  await assert.rejects(pets())
  await assert.rejects(store.reset(), /The petstore stopped/)
  console.log(++passed + ' tests passed')
})
`

const FORGETS = `
import { startPetstore } from 'petstore/testing'
const { url, reset } = await startPetstore()
await reset()
console.log(url)
if (process.argv[2] === 'SIGKILL') setInterval(() => {}, 1000)
`
