// Short runs of `npm run endurance -- waits` and `soak`: every scene runs, and responses are correct. Times are not checked, and a busy machine
// can refuse requests.

import { expect, test } from 'bun:test'
import { noLitestream } from '../../test/support/litestream.ts'
import { canMount } from '../../test/support/small-disk.ts'
import { growthOf, rise } from '../load/figures.ts'
import { answers, STREAMS } from '../load/watch.ts'
import { soak } from '../soak.ts'
import { waits } from '../waits.ts'

const PLAN = {
  ...{ seconds: 1, pets: 10_000, reservations: 60, lists: 150, creates: 50 },
  ...{ restarts: 5, machines: 2, bound: 30_000, connections: 500, frozen: 20, behind: 300 },
}
/** Faults that a busy machine can cause. */
const TIMES = /of the peak|of the creates|a p99 of|waited|a log of|: 503$/

const BREAKS = [
  'snapshot',
  'backup',
  'reservations',
  'worker killed',
  'restarted',
  'too many lists',
  'too many creates',
]

test.each(BREAKS)('answers the requests of a steady load during: %s', async (name) => {
  const { rates, rows } = await waits('sqlite', PLAN, [name])
  expect(rates).toEqual({ lists: 150, creates: 50 })
  expect(rows.map(({ beside }) => beside)).toEqual(['nothing', name])
  for (const { beside, figures, faults } of rows) {
    expect([beside, faults.filter((fault) => !TIMES.test(fault))]).toEqual([beside, []])
    for (const stream of STREAMS) {
      const one = figures[stream]
      if (!one) continue
      expect(answers(one)).toBeGreaterThan(0)
      expect(Object.keys(one.statuses).filter((status) => !/^(?:200|201|409|503)$/.test(status))).toEqual([])
    }
  }
  const [{ figures }] = rows as [(typeof rows)[0]]
  for (const [stream, rate] of [['lists', 150] as const, ['creates', 50] as const]) {
    const { sent = 0, unsent = 0, seconds = 0 } = figures[stream] ?? {}
    expect(sent + unsent).toBeLessThanOrEqual(Math.ceil(rate * seconds))
  }
})

const COPIES = [
  'Litestream killed',
  'Litestream frozen',
  ...(canMount ? ['Litestream without room'] : []),
  'machines lost',
]

test.skipIf(noLitestream !== '').each(COPIES)(`the copy equals the store after: %s${noLitestream}`, async (name) => {
  const { rows } = await waits('sqlite', { ...PLAN, seconds: 0.3 }, [name])
  expect(rows.map(({ beside }) => beside)).toEqual([
    'nothing',
    ...(name === 'machines lost' ? [] : ['full load']),
    name,
  ])
  expect(rows.flatMap(({ faults }) => faults).filter((fault) => !TIMES.test(fault))).toEqual([])
  for (const { figures } of rows) expect(figures.creates?.statuses[201]).toBeGreaterThan(0)
})

test('answers every request of a mixed load correctly', async () => {
  const wanted = ['200', '201', '400']
  // On a busy machine, it takes longer until each kind of request got a response.
  for (let minutes = 0.05; ; minutes *= 2) {
    const { statuses, faults, samples } = await soak(minutes)
    expect(faults).toEqual([])
    if (wanted.every((status) => status in statuses) && samples.length > 10) break
  }
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
