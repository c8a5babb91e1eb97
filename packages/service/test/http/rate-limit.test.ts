// The token bucket of the rate limit, with a clock.

import { expect, test } from 'bun:test'
import type { Context } from '../../src/http/context.ts'
import { RateLimit } from '../../src/http/limits.ts'

const SECOND = 1_000

test.each([
  ['a full bucket at first', 0, 3],
  ['nothing before a request is due', 19 * SECOND, 0],
  ['one request for each third of the period', 20 * SECOND, 1],
  ['at most a full bucket after a long pause', 3_600 * SECOND, 3],
  ['nothing if the clock was moved back', -3_600 * SECOND, 0],
])('a key has %s', (_, ms, count) => {
  const limit = new RateLimit({ requests: 3, periodSeconds: 60 })
  let now = 1e12
  const caller = (id: bigint) => ({ caller: { id }, now }) as Context
  /** How many requests the limit admits now. */
  const admitted = (id = 1n): number => {
    for (let n = 0; n < 10; n++) {
      try {
        limit.take(caller(id))
      } catch {
        return n
      }
    }
    return 10
  }
  if (ms !== 0) expect(admitted()).toBe(3)
  now += ms
  expect(admitted()).toBe(count)
  // Also after a clock was moved back, the next request is due after a third of the period.
  now += 20 * SECOND
  expect(admitted()).toBe(1)
  expect(admitted(2n)).toBe(3)
})
