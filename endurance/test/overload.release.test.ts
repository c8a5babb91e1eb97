// Short runs of `npm run endurance -- overload` and `npm run endurance -- soak`. What they measure is for the reports; here it is that
// nothing goes wrong.

import { expect, test } from 'bun:test'
import { overload } from '../overload.ts'
import { soak } from '../soak.ts'

test('at five times the peak load, requests get answers or 503, and some are answered in time', async () => {
  for (const { peak, goodput, p99, faults } of await overload({ seconds: 0.8, connections: 500 })) {
    expect(faults).toEqual([])
    // How many of the peak is for the reports: what else the machine does between two measurements decides it, too.
    expect(Math.min(peak, goodput)).toBeGreaterThan(0)
    expect(p99).toBeLessThan(20_000)
  }
})

test('a mixed load: every request gets its right answer', async () => {
  const wanted = ['200', '201', '400']
  // On a busy machine it takes longer until each kind of request has been answered.
  for (let minutes = 0.05; ; minutes *= 2) {
    const { statuses, faults, samples } = await soak(minutes)
    expect(faults).toEqual([])
    if (wanted.every((status) => status in statuses) && samples.length > 10) break
  }
})
