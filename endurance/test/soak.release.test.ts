// A short run of `npm run endurance -- soak`, and how it detects growth.

import { expect, test } from 'bun:test'
import { growthOf, rise } from '../load/figures.ts'
import { soak } from '../soak.ts'

test('responds correctly to every request of a mixed load', async () => {
  const wanted = ['200', '201', '400']
  // On a busy machine, it takes longer until each kind of request got a response.
  for (let minutes = 0.05; minutes < 2; minutes *= 2) {
    const { statuses, faults, samples } = await soak(minutes)
    expect(faults).toEqual([])
    if (wanted.every((status) => status in statuses) && samples.length > 10) return
  }
  expect(`no run had the statuses ${wanted}`).toBe('')
})

test('detects growth', () => {
  expect(rise([10, 10, 10, 10])).toBe(0)
  expect(rise([9, 10, 11])).toBeCloseTo(0.2)
  const samples = [1, 9, 10, 11].map((a) => ({ a, b: 5 }))
  expect(growthOf(samples, { a: 0.1, b: 0.1 })).toEqual({
    rows: ['| a | 1.0 | 11.0 | 20.0 % | 10.0 % |', '| b | 5.0 | 5.0 | 0.0 % | 10.0 % |'],
    grown: ['a grows'],
  })
})
