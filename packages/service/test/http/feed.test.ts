// Requests that wait for events, without a server. The simulator (endurance/simulate/) tests who is woken, and that
// keys are verified again.

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

test('a reader whose position is before the end gets the events, even if an earlier look has seen them', async () => {
  const { store, addPet } = await start()
  let looks = 0
  const version = () => {
    looks++
    return store.version()
  }
  const feed = new Feed({ ...store, version }, 100)
  const before = await store.findEnd()
  await addPet()
  const quiet = feed.readLater(eventFilter(undefined), await store.findEnd(), until(), reader())
  await wait('the feed has looked twice', () => looks > 1)
  expect((await feed.readLater(eventFilter(undefined), before, until(), reader())).count).toBe(1)
  feed.stop()
  expect((await quiet).count).toBe(0)
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
