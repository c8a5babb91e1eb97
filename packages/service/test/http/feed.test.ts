// Readers who wait for the feed, without a server between: who comes late, and whose key ends meanwhile.

import { expect, test } from 'bun:test'
import { eventFilter } from '../../../../test/support/events.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { Feed } from '../../src/http/feed.ts'
import { openStore } from '../../src/store/kinds.ts'

const WHOLE_TEST_MS = 1e9

async function start() {
  const store = await openStore(':memory:', { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  return { store, feed: new Feed(store, 100), addPet: () => store.createPet(newPet(), by) }
}

const reader = (verify: () => Promise<void> = async () => {}) => ({ verify, signal: new AbortController().signal })
const until = () => performance.now() + WHOLE_TEST_MS

test('who waits behind a place that others have seen passed is told at once, although nothing happens any more', async () => {
  const { store, feed, addPet } = await start()
  const before = await store.findEnd()
  const first = feed.readLater(eventFilter(undefined), before, until(), reader())
  await addPet()
  feed.changed()
  expect((await first).count).toBe(1)
  const end = await store.findEnd()
  // It keeps the feed looking, and the last look has seen the end.
  const quiet = feed.readLater(eventFilter(undefined), end, until(), reader())
  await Bun.sleep(100)
  expect((await feed.readLater(eventFilter(undefined), before, until(), reader())).count).toBe(1)
  feed.stop()
  expect((await quiet).count).toBe(0)
  await store.close()
})

test('the key of who waits is verified twice a second, although nothing happens', async () => {
  const { store, feed } = await start()
  // On the same event loop: a machine that is slow is slow for both. It counts fewer of these then, never more.
  let ticks = 0
  const timer = setInterval(() => ticks++, 40)
  const verifiedAt: number[] = []
  const startedAt = performance.now()
  const revoked = new Error('revoked')
  const waiting = feed.readLater(
    eventFilter(undefined),
    await store.findEnd(),
    until(),
    reader(async () => {
      if (verifiedAt.push(ticks) === 4) throw revoked
    }),
  )
  expect(await rejectionOf(waiting)).toBe(revoked)
  clearInterval(timer)
  for (const [n, at] of verifiedAt.slice(1).entries()) expect(at - (verifiedAt[n] as number)).toBeLessThan(25)
  expect(performance.now() - startedAt).toBeGreaterThan(1_000)
  await store.close()
})
