// A short run of the experiment about waits: everything happens, and requests are answered. Times are not judged here, and a machine that is
// busy with other work may refuse some.

import { expect, test } from 'bun:test'
import { waits } from '../waits.ts'

test('a snapshot, a backup and reservations that end beside a load of given rates: requests are answered', async () => {
  const rows = ['snapshot', 'backup', 'reservations']
  const plan = { seconds: 2, pets: 20_000, reservations: 60, lists: 150, creates: 50 }
  const { rates, measured } = await waits('sqlite', plan, rows)
  expect(rates).toEqual({ lists: 150, creates: 50 })
  expect(measured.map(({ beside }) => beside)).toEqual(['nothing', ...rows])
  for (const { health, lists, creates, orders } of measured) {
    for (const [{ statuses }, right] of [
      [health, 200],
      [lists, 200],
      [creates, 201],
      [orders, 201],
    ] as const) {
      expect(statuses[right]).toBeGreaterThan(0)
      expect(Object.keys(statuses)).toBeOneOf([[`${right}`], [`${right}`, '503']])
    }
    expect(health.max).toBeGreaterThan(0)
    for (const [{ sent, unsent, seconds }, rate] of [[lists, 150] as const, [creates, 50] as const])
      expect(sent + unsent).toBeLessThanOrEqual(Math.ceil(rate * seconds))
  }
})
