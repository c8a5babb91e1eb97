// Nobody passes over an event, although a failover loses some that were shown. `npm run endurance -- lossy-failover` loses more, again.

import { expect, test } from 'bun:test'
import { lossyFailover } from '../lossy-failover.ts'

const { ROUNDS = '1', RESERVATIONS = '12' } = process.env

test('behind a failover that loses what was shown, a reader at any place sees each event, or hears that its cursor has expired', async () => {
  for (let n = 0; n < Number(ROUNDS); n++) {
    const round = await lossyFailover(Number(RESERVATIONS))
    expect(round.faults).toEqual([])
    // Some places are before what was lost, and some behind it.
    expect(Math.min(round.lost, round.valid - 1, round.expired - 1)).toBeGreaterThanOrEqual(Number(RESERVATIONS))
  }
})
