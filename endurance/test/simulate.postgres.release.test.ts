// Simulated runs on PostgreSQL with fixed seeds, and planted faults that tests of the store rely on.

import { expect, test } from 'bun:test'
import { inWords } from '../history/words.ts'
import { startHosts } from '../simulate/bundle.ts'
import { Engine } from '../simulate/postgres/engine.ts'
import { findPlanted, runOf } from '../simulate.ts'

const site = { hosts: await startHosts(2, [], false), engines: await Engine.openTwo() }

test.each([2, 3, 5])('finds no fault with seed %d', async (seed) => {
  const { operations, faults } = await runOf(seed, 300, site)
  expect(faults.map(inWords)).toEqual([])
  expect(operations.length).toBeGreaterThanOrEqual(300)
})

test('the same seed gives the same run', async () => {
  const [one, other] = [await runOf(13, 200, site), await runOf(13, 200, site)]
  expect(one.trace).toBe(other.trace)
})

test.each([
  'a pool that hands out a connection twice',
  'commits that do not wait for the standby',
  'background writes that wait for the standby',
  'a lost response that is reported as not done',
])('finds the planted fault: %s', async (name) => {
  expect((await findPlanted(name, 400, 1, site.engines))?.words).toBeString()
})
