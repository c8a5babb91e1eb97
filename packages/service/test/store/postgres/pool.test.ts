// The limit of concurrent calls: how long calls wait, and that no item is lost or used twice.

import { expect, spyOn, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { watchTimers } from '../../../../../test/support/timers.ts'
import { ATTEMPT_MAX_MS, ATTEMPT_MIN_MS, Pool } from '../../../src/store/postgres/connect/pool.ts'

const poolOf = (item: string, waitMs = 50) => new Pool([item], waitMs, () => new Error('busy'))
const nothing = async () => {}

test('a call that waits too long fails, and the next call in the queue gets its turn', async () => {
  const pool = poolOf('only')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { running: first } = await pool.start(() => held)
  expect((await rejectionOf(pool.start(nothing))).message).toBe('busy')
  expect(pool.state).toEqual({ size: 1, busy: 1, waiting: 0 })
  const next = pool.start(async (item) => item)
  release()
  await first
  expect(await (await next).running).toBe('only')
  expect(pool.state).toEqual({ size: 1, busy: 0, waiting: 0 })
})

test('a call that got its turn leaves no timer, which would remove another call from the queue', async () => {
  const { open, restore } = watchTimers()
  const pool = poolOf('only')
  await Promise.all([1, 2, 3].map(() => pool.run(nothing)))
  restore()
  expect(open.size).toBe(0)
})

test('an item is free again after its work has failed', async () => {
  const pool = poolOf('only')
  for (let n = 0; n < 3; n++) {
    const { running } = await pool.start(() => Promise.reject(new Error('failed')))
    expect((await rejectionOf(running)).message).toBe('failed')
  }
  expect(pool.state).toEqual({ size: 1, busy: 0, waiting: 0 })
})

test('a closed pool rejects waiting and new calls, and lets running calls finish', async () => {
  const pool = poolOf('only', 600_000)
  const { promise: held, resolve: release } = Promise.withResolvers<string>()
  const { running } = await pool.start(() => held)
  const waiting = rejectionOf(pool.start(nothing))
  pool.close()
  expect((await waiting).message).toBe('busy')
  release('done')
  expect(await running).toBe('done')
  expect((await rejectionOf(pool.start(nothing))).message).toBe('busy')
})

/** A pool in which `room` items can be opened. */
function limitedPool(room: number, items = ['a', 'b', 'c']) {
  const full = new Error('full')
  const attempts: boolean[] = []
  const limit = { room }
  const open = async () => {
    await Promise.resolve()
    if (limit.room-- <= 0) throw full
  }
  const onFailure = (_: unknown, isAnyOpen: boolean) => attempts.push(isAnyOpen)
  const pool = new Pool(items, 5_000, () => new Error('busy'), { open, onFailure })
  return { pool, full, limit, attempts }
}

test('calls share the open items if no more can be opened', async () => {
  const { pool, attempts } = limitedPool(1)
  const used = await Promise.all(
    Array.from({ length: 6 }, async () => (await pool.start((item) => Bun.sleep(1).then(() => item))).running),
  )
  expect(new Set(used).size).toBe(1)
  expect(pool.state).toEqual({ size: 3, busy: 0, waiting: 0 })
  expect(attempts).toEqual([true, true])
})

test('each waiting call fails with the reason if no item can be opened', async () => {
  const { pool, full, attempts } = limitedPool(0)
  const calls = Array.from({ length: 5 }, () => rejectionOf(pool.start(nothing)))
  expect(await Promise.all(calls)).toEqual(Array(5).fill(full))
  expect(await rejectionOf(pool.start(nothing))).toBe(full)
  expect(attempts).toEqual([false, false, false])
})

test('attempts to open another item back off from 0.1 to 5 s, one at a time, and restart after a success', async () => {
  let now = 1_000
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const { pool, limit, attempts } = limitedPool(1, Array.from({ length: 9 }, String))
    const burst = () => Promise.all(Array.from({ length: 4 }, () => pool.run(nothing)))
    const pauses: number[] = []
    for (let failedAt = 0; now < 60_000; now += 100) {
      const before = attempts.length
      await burst()
      if (attempts.length === before) continue
      if (before > 0) {
        expect(attempts.length).toBe(before + 1)
        pauses.push(now - failedAt)
      }
      failedAt = now
    }
    expect(pauses.slice(0, 8)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    expect([pauses[0], Math.max(...pauses)]).toEqual([ATTEMPT_MIN_MS, ATTEMPT_MAX_MS])
    limit.room = 1
    now += ATTEMPT_MAX_MS
    await burst()
    const before = attempts.length
    now += ATTEMPT_MIN_MS
    await burst()
    now += ATTEMPT_MIN_MS
    await burst()
    expect(attempts.length).toBeGreaterThan(before)
  } finally {
    clock.mockRestore()
  }
})
