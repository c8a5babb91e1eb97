// The feed of events: its requests, the events it delivers, and the waiting request that tabs share.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { until } from '../../../../test/support/until.ts'
import type { Event, EventFilter } from '../../../client/src/petstore.ts'

import { Feed } from '../../src/live/feed.ts'
import { event, fakeClient, refused } from './fake-client.ts'

type Filter = EventFilter & { cursor?: string }
type Answer = { events: Event[]; next: string } | (() => never)

let path = 0
const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const feeds: Feed[] = []

beforeAll(() => {
  Object.assign(globalThis, { document, window: new EventTarget() })
  Object.defineProperty(navigator, 'onLine', { value: true, configurable: true })
  const held = new Map<string, Promise<unknown>>()
  const request = async (name: string, options: { ifAvailable?: boolean }, work: (lock: object | null) => unknown) => {
    if (options.ifAvailable && held.has(name)) return work(null)
    while (held.has(name)) await held.get(name)
    const turn = Promise.resolve(work({})).finally(() => held.delete(name))
    held.set(name, turn)
    return turn
  }
  Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true })
})
afterAll(() => {
  for (const name of ['document', 'window']) Reflect.deleteProperty(globalThis, name)
})
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.stop()
  path++
})

/** A tab. Its requests receive these responses in order; later ones wait. */
function open(...answers: Answer[]) {
  const asked: Filter[] = []
  const { client } = fakeClient({
    listEvents(filter: Filter, { signal }: { signal: AbortSignal }) {
      asked.push(filter)
      const answer = answers.shift()
      if (typeof answer === 'function') return answer()
      if (answer) return answer
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const feed = new Feed(client, `/${path}/`)
  feeds.push(feed)
  const told: [bigint[], boolean][] = []
  feed.listen((events, gap) => told.push([events.map(({ id }) => id), gap]))
  return { feed, asked, told }
}

const page = (next: string, ...ids: number[]) => ({ next, events: ids.map((id) => event(id, 'pet.added')) })

test('starts now, waits for events after the last one, and delivers each', async () => {
  const { asked, feed, told } = open(page('A'), page('B', 1, 2), page('C', 3))
  await until('the third request', () => asked.length === 4)
  expect(asked.map(({ from, cursor }) => from ?? cursor)).toEqual(['now', 'A', 'B', 'C'])
  expect(asked[1]?.wait).toBeGreaterThan(0)
  expect(told).toEqual([
    [[1n, 2n], false],
    [[3n], false],
  ])
  expect(feed.live).toBe(true)
})

test('batches events that happen close together, and does not pause after a full page', async () => {
  const full = page('B', ...Array.from({ length: 100 }, (_, n) => n))
  const { asked } = open(page('A'), full, page('C', 101))
  await until('the request after the full page', () => asked.length === 3)
  const from = performance.now()
  await until('the request after the other', () => asked.length === 4)
  expect(performance.now() - from).toBeGreaterThan(150)
})

test('starts over after a restore, and reports a gap', async () => {
  const { asked, told } = open(page('A'), () => refused('cursor_expired', 410), page('B'))
  await until('a new beginning', () => asked.length === 4)
  expect(asked.map(({ from, cursor }) => from ?? cursor)).toEqual(['now', 'A', 'now', 'B'])
  expect(told).toEqual([[[], true]])
})

test('retries after a failure, but not if the service has no feed', async () => {
  const failing = open(page('A'), () => refused('internal', 500), page('B', 1))
  await until('another try', () => failing.told.length === 1)
  expect(failing.asked.slice(1, 3).map(({ cursor }) => cursor)).toEqual(['A', 'A'])
  path++
  const none = open(() => refused('not_found', 404))
  await none.feed.begun
  // Longer than the pause after a failure.
  await Bun.sleep(1_100)
  expect([none.asked.length, none.feed.live]).toEqual([1, false])
})

test('after a tab was hidden for more than 10 s, the tab that reads the feed asks again', async () => {
  const { now } = Date
  const reader = open(page('A'))
  await until('the waiting request', () => reader.asked.length === 2)
  open()
  for (const [hiddenMs, requests] of [
    [9_000, 2],
    [11_000, 3],
  ] as const) {
    const show = (visibilityState: string) => {
      document.visibilityState = visibilityState
      document.dispatchEvent(new Event('visibilitychange'))
    }
    show('hidden')
    Date.now = () => now() + hiddenMs
    show('visible')
    Date.now = now
    await Bun.sleep(50)
    expect(reader.asked.length).toBeGreaterThanOrEqual(requests)
    expect(reader.asked.length === 2).toBe(requests === 2)
  }
  expect(reader.asked.at(-1)?.cursor).toBe('A')
})

test('a feed that was stopped delivers no more events of other tabs', async () => {
  const { promise: later, resolve } = Promise.withResolvers<Answer>()
  open(page('A'), later as never)
  const [stopped, other] = [open(), open()]
  stopped.feed.stop()
  resolve(page('B', 1))
  await until('another tab receives the event', () => other.told.length > 0)
  expect(stopped.told).toEqual([])
})

test('tabs share one waiting request; when its tab closes, another tab waits', async () => {
  const first = open(page('A'), page('B', 1))
  const second = open(page('C', 2))
  await second.feed.begun
  const hears = (id: bigint) =>
    until(`the second tab receives ${id}`, () => second.told.some(([ids]) => ids.includes(id)))
  await hears(1n)
  expect(second.asked).toEqual([])
  first.feed.stop()
  await hears(2n)
  expect(second.asked[0]?.cursor).toBe('B')
})
