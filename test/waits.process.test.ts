// A short run of the experiment about waits: everything happens, and every request is answered. Times are not judged here.

import { expect, test } from 'bun:test'
import { waits } from '../endurance/waits.ts'

test('a snapshot, a backup and reservations that end beside a load: every request is answered', async () => {
  const measured = await waits({ seconds: 1, pets: 2_000, reservations: 600 })
  expect(measured.map(({ beside }) => beside)).toEqual(['nothing', 'a snapshot', 'a backup', 'reservations'])
  for (const { health, lists, creates } of measured) {
    expect([health, lists, creates].map(({ statuses }) => Object.keys(statuses))).toEqual([['200'], ['200'], ['201']])
    expect(health.max).toBeGreaterThan(0)
  }
}, 60_000)
