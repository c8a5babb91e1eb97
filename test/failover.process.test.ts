// The short version of `npm run endurance:failover`: nothing acknowledged is lost when the primary is killed.

import { expect, test } from 'bun:test'
import { failover } from '../endurance/failover.ts'

const ROUNDS = 2
/** From the promotion until every server adds pets again: a second or two, more where the machine is busy. */
const RECOVERY_MAX_MS = 15_000

test('three servers lose nothing when the primary is killed and its standby promoted', async () => {
  const { rounds, acknowledged } = await failover(ROUNDS)
  expect(rounds.length).toBe(ROUNDS)
  for (const { answers, lost, doubled, sincePromotionMs } of rounds) {
    expect(lost).toEqual([])
    expect(doubled).toEqual([])
    // Without a primary, creates are refused with 503, and nothing else.
    expect(Object.keys(answers).sort()).toEqual(['201', '503'])
    expect(sincePromotionMs).toBeLessThan(RECOVERY_MAX_MS)
  }
  expect(acknowledged).toBeGreaterThan(100)
})
