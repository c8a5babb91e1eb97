// A failover that loses events which readers have seen. `npm run endurance -- lossy-failover` runs more rounds.

import { expect, test } from 'bun:test'
import { lossyFailover } from '../lossy-failover.ts'

const { ROUNDS = '1', RESERVATIONS = '12' } = process.env

test('after a failover that loses events, every reader sees each event once or gets cursor_expired', async () => {
  for (let n = 0; n < Number(ROUNDS); n++) {
    const round = await lossyFailover(Number(RESERVATIONS))
    expect(round.faults).toEqual([])
    // Some cursors are before the lost events, and some after them.
    expect(Math.min(round.lost, round.valid - 1, round.expired - 1)).toBeGreaterThanOrEqual(Number(RESERVATIONS))
  }
})
