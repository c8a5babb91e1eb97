// `petstore/testing`: calls at the same time, in a process of Node that nothing else keeps alive.

import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainNode } from './support/artefacts.ts'
import { temporaryFile } from './support/files.ts'
import { launcher, root, run } from './support/process.ts'

const PAIRS = `
import { startPetstore } from './testing.mjs'
const start = () => startPetstore({ practice: true })
const { stop, clock, ...store } = await start()
const calls = {
  reset: () => store.reset(),
  lie: () => store.lie('pets.list.order'),
  lies: () => store.lies(),
  fail: () => store.fail({ status: 503 }),
  createKey: () => store.createKey(),
  report: () => store.report(),
  advance: () => clock.advance('1s'),
  set: () => clock.set('2096-01-01T00:00:00Z').catch(() => undefined),
}
let pairs = 0
for (const one of Object.values(calls)) {
  for (const other of Object.values(calls)) {
    await Promise.all([one(), other()])
    pairs++
  }
}
await Promise.all([stop(), stop()])
for (const name of Object.keys(calls)) {
  const { stop, clock, ...store } = await start()
  const call = { ...store, ...clock }[name]
  await Promise.allSettled([call(), stop(), call()])
  pairs++
}
console.log(pairs)
`

test('every pair of calls at the same time gets its response', async () => {
  const folder = temporaryFile('package')
  for (const name of ['bin', 'packages/testing']) mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(launcher, join(folder, 'bin/petstore'))
  const source = readFileSync(join(root, 'packages/testing/testing.ts'), 'utf8')
  const cwd = join(folder, 'packages/testing')
  writeFileSync(join(cwd, 'testing.mjs'), new Bun.Transpiler({ loader: 'ts' }).transformSync(source))
  writeFileSync(join(cwd, 'pairs.mjs'), PAIRS)
  const { status, stdout, stderr } = await run(['pairs.mjs'], { command: plainNode, cwd })
  expect([status, stdout, stderr]).toEqual([0, '72\n', ''])
})
