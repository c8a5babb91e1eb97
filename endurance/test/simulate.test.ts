// Simulated runs with fixed seeds: every answer of two servers on one file is explained, and a seed gives the same run again. Fresh seeds and
// planted faults are in simulate.release.test.ts.

import { expect, test } from 'bun:test'
import { inWords } from '../history/words.ts'
import { serverModules } from '../simulate/bundle.ts'
import { runOf } from '../simulate.ts'

const modules = await serverModules(2)
/** In the runs of odd seeds servers are killed, disks fail and clocks jump. */
const SEEDS = [1, 2, 3, 4, 5, 7]

test.each(SEEDS)('every answer is explained: seed %d', async (seed) => {
  const { operations, faults, broken } = await runOf(seed, 700, modules)
  expect(faults.map(inWords)).toEqual([])
  expect(broken.length > 0).toBe(seed % 2 === 1)
  const kinds = new Set(operations.map(({ ask }) => ask.kind))
  expect(kinds.size).toBeGreaterThan(10)
})

test('a seed gives the same run again', async () => {
  const [one, other] = [await runOf(9, 300, modules), await runOf(9, 300, modules)]
  expect(one.trace).toBe(other.trace)
  expect((await runOf(11, 300, modules)).trace).not.toBe(one.trace)
})
