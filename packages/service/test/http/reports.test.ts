// When the counts of key uses and deprecated calls are saved. The simulator (endurance/simulate/) tests that each is
// saved once, even if saving fails.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { Counts } from '../../src/http/reports.ts'

function counting(everyMs?: number) {
  const counts = new Counts<{ name: string }>(everyMs)
  const saved: string[] = []
  const save = async (some: readonly { name: string; calls: number; lastAt: number }[]) => {
    saved.push(...some.map(({ name, calls, lastAt }) => `${name} ${calls} ${lastAt}`))
  }
  const add = (name: string, at: number) => counts.add(name, () => ({ name }), at)
  return { counts, add, save, saved }
}

test('the first count is saved immediately, later ones after the pause or at the stop', async () => {
  const { counts, add, save, saved } = counting(60_000)
  add('a', 5)
  add('a', 7)
  add('b', 6)
  await counts.save(save)
  expect(saved.splice(0)).toEqual(['a 2 7', 'b 1 6'])
  add('a', 8)
  await counts.save(save)
  expect(saved).toEqual([])
  await counts.save(save, true)
  await counts.save(save, true)
  expect(saved).toEqual(['a 1 8'])
  expect([...counts.all()].map(({ calls }) => calls)).toEqual([3, 1])
})

test('a failed save is tried again after the pause', async () => {
  const { counts, add, save, saved } = counting(60_000)
  add('a', 5)
  await rejectionOf(counts.save(() => Promise.reject(new Error('full'))))
  await counts.save(save)
  expect(saved).toEqual([])
  await counts.save(save, true)
  expect(saved).toEqual(['a 1 5'])
})
