// The limit on calls that run at once: who waits for how long, and that no place is lost or given twice.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { Pool } from '../../../src/store/postgres/pool.ts'

const poolOf = (...items: string[]) => new Pool(items, 50, () => new Error('busy'))
const nothing = async () => {}

test('a call that has waited too long fails, and leaves its place in the queue to the next', async () => {
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

test('an item is free again when its work has failed', async () => {
  const pool = poolOf('only')
  for (let n = 0; n < 3; n++) {
    const { running } = await pool.start(() => Promise.reject(new Error('failed')))
    expect((await rejectionOf(running)).message).toBe('failed')
  }
  expect(pool.state).toEqual({ size: 1, busy: 0, waiting: 0 })
})

test('a pool that is closed refuses who waits and who comes, and lets go on what runs', async () => {
  const pool = poolOf('only')
  const { promise: held, resolve: release } = Promise.withResolvers<string>()
  const { running } = await pool.start(() => held)
  const waiting = rejectionOf(pool.start(nothing))
  pool.close()
  expect((await waiting).message).toBe('busy')
  release('done')
  expect(await running).toBe('done')
  expect((await rejectionOf(pool.start(nothing))).message).toBe('busy')
})

test('where no more can be opened, calls take turns with what is open, and one fails with the reason when nothing is', async () => {
  const full = new Error('full')
  let room = 1
  const open = async () => {
    if (room-- <= 0) throw full
  }
  const pool = new Pool(['a', 'b', 'c'], 5_000, () => new Error('busy'), { open, isFull: (error) => error === full })
  const used = await Promise.all(
    Array.from({ length: 6 }, async () => (await pool.start((item) => Bun.sleep(1).then(() => item))).running),
  )
  expect(new Set(used).size).toBe(1)
  expect(pool.state).toEqual({ size: 3, busy: 0, waiting: 0 })
  const none = new Pool(['a'], 5_000, () => new Error('busy'), { open, isFull: (error) => error === full })
  expect(await rejectionOf(none.start(nothing))).toBe(full)
})
