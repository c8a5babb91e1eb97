// The limit on calls that run at once: who waits for how long, and that no place is lost.

import { expect, test } from 'bun:test'
import { Semaphore } from '../src/store/postgres/semaphore.ts'
import { rejectionOf } from './support/rejection.ts'

test('a call that has waited too long fails, and leaves its place in the queue to the next', async () => {
  const semaphore = new Semaphore(1, 50, () => new Error('busy'))
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const first = semaphore.use(() => held)
  expect((await rejectionOf(semaphore.use(async () => {}))).message).toBe('busy')
  expect(semaphore.state).toEqual({ size: 1, busy: 1, waiting: 0 })
  const next = semaphore.use(async () => 'next')
  release()
  await first
  expect(await next).toBe('next')
  expect(semaphore.state).toEqual({ size: 1, busy: 0, waiting: 0 })
})
