// The short version of `npm run endurance:events`: readers of the feed beside racing writers, while servers and databases are killed.

import { expect, test } from 'bun:test'
import { readEvents } from '../endurance/events.ts'

test.each([
  ['sqlite', 2],
  ['postgres', 1],
  ['failovers', 1],
] as const)('%s, %d rounds: every reader sees every change once, in one order', async (kind, rounds) => {
  const { faults, events, added } = await readEvents(kind, rounds)
  expect(faults).toEqual([])
  // More than the pets to order, which are there before.
  expect(events).toBeGreaterThan(8)
  expect(added).toBeGreaterThan(0)
})
