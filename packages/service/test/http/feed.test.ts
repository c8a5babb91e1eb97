// Requests that wait for events, without a server: late readers, and keys that expire while waiting.

import { expect, test } from 'bun:test'
import { eventFilter } from '../../../../test/support/events.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { until as wait } from '../../../../test/support/until.ts'
import type { EventFilter } from '../../src/domain/events.ts'
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

test('a reader whose position is already behind the end gets the events immediately', async () => {
  const { store, feed, addPet } = await start()
  const before = await store.findEnd()
  const first = feed.readLater(eventFilter(undefined), before, until(), reader())
  await addPet()
  feed.changed()
  expect((await first).count).toBe(1)
  const end = await store.findEnd()
  // This reader keeps the feed polling, and the last poll has reached the end.
  const quiet = feed.readLater(eventFilter(undefined), end, until(), reader())
  await Bun.sleep(100)
  expect((await feed.readLater(eventFilter(undefined), before, until(), reader())).count).toBe(1)
  const gone = { ...reader(), signal: AbortSignal.abort() }
  expect((await feed.readLater(eventFilter(undefined), end, until(), gone)).count).toBe(0)
  feed.stop()
  expect((await quiet).count).toBe(0)
  expect((await feed.readLater(eventFilter(undefined), end, until(), reader())).count).toBe(0)
  await store.close()
})

test('a commit while the end of the feed is read wakes readers at the next look', async () => {
  const { store, addPet } = await start()
  let looks = 0
  const findEnd = async () => {
    const end = await store.findEnd()
    if (looks++ === 0) await addPet()
    return end
  }
  const feed = new Feed({ ...store, findEnd }, 100)
  const page = await feed.readLater(eventFilter(undefined), await store.findEnd(), performance.now() + 5_000, reader())
  expect(page.count).toBe(1)
  await store.close()
})

test('waiting readers get the error of a store that was lost, and later ones wait until it is found', async () => {
  const { store, addPet } = await start()
  let [isLost, looks] = [false, 0]
  const fail = () => {
    throw new Error('lost')
  }
  const feed = new Feed(
    {
      version: () => (isLost ? fail() : store.version()),
      findEnd: async () => (isLost ? fail() : store.findEnd().finally(() => looks++)),
      listEvents: async (filter) => (isLost ? fail() : store.listEvents(filter)),
    },
    100,
  )
  const end = await store.findEnd()
  const readers = [1, 2].map(() => feed.readLater(eventFilter(undefined), end, until(), reader()))
  await wait('the end of the feed is known', () => looks > 0)
  isLost = true
  for (const waiting of readers) expect((await rejectionOf(waiting)).message).toBe('lost')
  isLost = false
  const later = feed.readLater(eventFilter(undefined), end, until(), reader())
  await addPet()
  expect((await later).count).toBe(1)
  await store.close()
})

test('a reader whose key was revoked while it waited gets no events', async () => {
  const { store, feed, addPet } = await start()
  const revoked = new Error('revoked')
  const verify = () => Promise.reject(revoked)
  const reading = feed.readLater(eventFilter(undefined), await store.findEnd(), until(), reader(verify))
  await addPet()
  feed.changed()
  expect(await rejectionOf(reading)).toBe(revoked)
  await store.close()
})

test('readers share a page only if all fields of their filters are equal', async () => {
  const epoch = 1n
  const one = eventFilter({ epoch, id: 2n, mark: 3 }, { petId: 4n, orderId: 5n, type: ['pet.added'], to: 6 })
  const other: { [Field in keyof EventFilter]: EventFilter[Field][] } = {
    limit: [21],
    petId: [7n, undefined],
    orderId: [7n, undefined],
    type: [['pet.deleted'], ['pet.added', 'pet.deleted'], undefined],
    from: ['now', 6],
    to: [7, undefined],
    sort: ['newest'],
    after: [{ epoch: 2n, id: 2n, mark: 3 }, { epoch, id: 3n, mark: 3 }, { epoch, id: 2n, mark: 4 }, undefined],
  }
  const filters = Object.entries(other).flatMap(([field, values]) =>
    values.map((value) => ({ ...one, [field]: value })),
  )
  let reads = 0
  const listEvents = async () => ({ json: `[${++reads}]`, count: 1, next: { epoch, id: 1n, mark: 0 }, ended: false })
  const { store } = await start()
  const feed = new Feed({ ...store, listEvents }, 100)
  await Promise.all([one, ...filters, { ...one }].map((filter) => feed.read(filter)))
  expect(reads).toBe(1 + filters.length)
})

test('the key of a waiting reader is verified twice a second, even without events', async () => {
  const { store, feed } = await start()
  // Ticks of the same event loop, so that the test does not depend on the speed of the machine.
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
