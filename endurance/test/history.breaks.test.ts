// How long a server cannot write during a failure.

import { expect, test } from 'bun:test'
import { silences } from '../history/breaks.ts'
import type { Operation } from '../history/operations.ts'

const done = (server: number, endedAt: number, method = 'POST', status = 201) =>
  ({ server, endedAt, method, status }) as Operation

test('returns the longest time between two writes of one server during or right after a failure', () => {
  const steady = Array.from({ length: 50 }, (_, n) => done(0, 100 * n))
  const stopped = [done(1, 900), done(1, 1500, 'GET', 200), done(1, 1600, 'POST', 503), done(1, 2400), done(1, 4900)]
  const operations = [...steady, ...stopped]
  const broken = [
    { name: 'a failover', from: 1000, to: 2000 },
    { name: 'a failover', from: 400, to: 500 },
  ]
  expect(silences(broken, operations)).toEqual(new Map([['a failover', [1500, 100]]]))
  expect(silences([], operations)).toEqual(new Map())
})
