// The short version of `npm run endurance -- lossy-failover`: nobody passes over an event, although a failover loses some that were shown.

import { expect, test } from 'bun:test'
import { lossyFailover } from '../lossy-failover.ts'

test('behind a failover that loses what was shown, a reader at any place sees each event, or hears that its cursor has expired', async () => {
  const [round] = await lossyFailover(1, 12)
  expect(round?.faults).toEqual([])
  // Some places are before what was lost, and some behind it.
  expect(round?.lost).toBeGreaterThanOrEqual(12)
  expect(round?.wentOn).toBeGreaterThan(12)
  expect(round?.expired).toBeGreaterThan(12)
})
