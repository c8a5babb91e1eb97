// The event feed through the client: single pages, and following it through failures of the service and the network.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { answer, clientOf, errorJson, REX, withServer } from '../../../test/support/client.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { type Event, type Followed, PetstoreApiError } from '../src/petstore.ts'

let service: Service
let client: ReturnType<typeof clientOf>
/** All events of the service. */
let all: Event[]

beforeAll(async () => {
  service = await startService({ now: Date.now })
  client = clientOf(service.url, { apiKey: service.key })
  for (let count = 0; count < 120; count++) await client.createPet(REX)
  const order = await client.placeOrder({ petId: 3n })
  await client.completeOrder(order.id)
  all = []
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await client.listEvents({ cursor, limit: 100 })
    if (events.length === 0) break
    all.push(...events)
    cursor = next
  }
})
afterAll(() => service.stop())

/** Takes the next `count` events, and ends the iteration. */
async function take(events: AsyncGenerator<Followed>, count: number): Promise<Followed[]> {
  const taken: Followed[] = []
  for await (const followed of events) if (taken.push(followed) >= count) break
  return taken
}

const eventsOf = (followed: Followed[]) => followed.map(({ event }) => event)

test('listEvents waits longer than the timeout of the client', async () => {
  const { events, next } = await client.listEvents({ from: 'now' })
  expect(events).toEqual([])
  const short = clientOf(service.url, { apiKey: service.key, timeoutMs: 500, retries: 0 })
  expect(await short.listEvents({ cursor: next, wait: 1 })).toEqual({ events: [], next })
})

test('followEvents yields each event once, in order, and then new ones', async () => {
  const own = await client.createPet(REX)
  const events = client.followEvents({ petId: own.id })
  expect(eventsOf([(await events.next()).value as Followed])[0]?.type).toBe('pet.added')
  const later = events.next()
  await client.placeOrder({ petId: own.id })
  expect(((await later).value as Followed).event.type).toBe('order.placed')
  await events.return()
  expect(eventsOf(await take(client.followEvents(), all.length))).toEqual(all)
})

test('followEvents continues after any event, with its cursor', async () => {
  const followed = await take(client.followEvents(), all.length)
  for (const index of [0, 99, 100, 119]) {
    const { cursor } = followed[index] as Followed
    const [next] = await take(client.followEvents({ cursor, from: 'now' }), 1)
    expect(next?.event).toEqual(all[index + 1] as Event)
    // Also with the cursor of an event that was read after a cursor, and with another filter.
    const [third] = await take(client.followEvents({ cursor: (next as Followed).cursor }), 1)
    expect(third?.event).toEqual(all[index + 2] as Event)
    const [ordered] = await take(client.followEvents({ cursor, orderId: 1n }), 1)
    expect(ordered?.event).toEqual(all[120] as Event)
  }
})

test('followEvents rejects with cursor_expired if another event has the id of the last event', async () => {
  const followed = await take(client.followEvents(), 57)
  const { cursor } = followed.at(-1) as Followed
  expect(cursor).toContain('.')
  const lost = cursor.replace(/&at=[^&]*/, '&at=2020-01-01T00%3A00%3A00.000Z')
  expect(lost).not.toBe(cursor)
  expect(await rejectionOf(client.followEvents({ cursor: lost }).next())).toMatchObject({
    code: 'cursor_expired',
    status: 410,
  })
  // A cursor of the previous version still works.
  const older = cursor.replace(/\..*$/, `.${followed.at(-1)?.event.id}`)
  expect(eventsOf(await take(client.followEvents({ cursor: older }), 1))).toEqual([all[57] as Event])
})

test('followEvents calls onExpired and starts again if the cursor has expired', async () => {
  const other = await startService({ now: Date.now })
  const moved = clientOf(other.url, { apiKey: other.key })
  await moved.createPet(REX)
  const [first] = await take(moved.followEvents(), 1)
  let told = 0
  const events = client.followEvents({ cursor: first?.cursor, onExpired: () => told++ })
  const begun = await take(events, 101)
  expect([told, eventsOf(begun)]).toEqual([1, all.slice(0, 101)])
  await other.stop()
})

test('followEvents ends when its signal is aborted, also while it waits and between two events', async () => {
  await withServer(
    (_request, n) => (n === 0 ? answer(200, '[]', link('A')) : new Promise(() => undefined)),
    async (url, tries) => {
      const aborter = new AbortController()
      const waiting = clientOf(url).followEvents({ signal: aborter.signal }).next()
      await until('the client waits for events', () => tries() === 2)
      aborter.abort()
      expect(await waiting).toEqual({ done: true, value: undefined })
    },
  )
  const within = new AbortController()
  let count = 0
  for await (const _ of client.followEvents({ signal: within.signal })) if (++count === 50) within.abort()
  expect(count).toBe(50)
})

test('followEvents rejects with errors that a retry cannot fix', async () => {
  const failures = [
    [clientOf(service.url).followEvents(), 'invalid_api_key', 401],
    [client.followEvents({ cursor: 'made-up' }), 'invalid_parameter', 400],
  ] as const
  for (const [events, code, status] of failures) {
    expect(await rejectionOf(events.next())).toMatchObject({ code, status })
  }
  await withServer(
    () => answer(404, errorJson('not_found', 404)),
    async (url, tries) => {
      expect(await rejectionOf(clientOf(url).followEvents().next())).toBeInstanceOf(PetstoreApiError)
      expect(tries()).toBe(1)
    },
  )
})

const losing = async (url: string, init: RequestInit) => {
  const response = await fetch(url, init)
  if (response.status === 500) throw new TypeError('The response was lost.')
  return response
}
const eventJson = (id: number) => `[{"id":${id},"type":"pet.combed","at":"2026-11-21T09:30:00.000Z","petId":1,"new":1}]`
const link = (cursor: string) => ({ Link: `</v1/store/events?limit=1&cursor=${cursor}>; rel="next"` })

test('followEvents calls onExpired and starts again if the cursor expires before the first event', async () => {
  const asked: string[] = []
  let told = 0
  await withServer(
    (request, n) => {
      asked.push(new URL(request.url).search.replace(/&wait.*/, ''))
      if (n === 0) return answer(200, '[]', link('A'))
      return n === 1 ? answer(410, errorJson('cursor_expired', 410)) : answer(200, eventJson(1), link('B'))
    },
    async (url) => {
      const events = clientOf(url).followEvents({ from: 'now', onExpired: () => told++ })
      expect(eventsOf(await take(events, 1)).map(({ id }) => id)).toEqual([1n])
    },
  )
  expect([asked, told]).toEqual([['?from=now&limit=1', '?cursor=A&limit=100', '?limit=1'], 1])
})

test('followEvents does not start again without end if the service rejects a read without a cursor', () =>
  withServer(
    () => answer(410, errorJson('cursor_expired', 410)),
    async (url, tries) => {
      const events = clientOf(url).followEvents({ cursor: 'A', onExpired: () => undefined })
      expect(await rejectionOf(events.next())).toMatchObject({ code: 'cursor_expired' })
      expect(tries()).toBe(2)
    },
  ))

test('followEvents continues through failures, waits for Retry-After, and yields events of unknown types', async () => {
  const asked: { cursor: string | null; at: number }[] = []
  await withServer(
    (request, n) => {
      asked.push({ cursor: new URL(request.url).searchParams.get('cursor'), at: performance.now() })
      if (n === 0) return answer(200, eventJson(1), link('A'))
      if (n < 4) return answer(500, 'lost')
      if (n === 4) return answer(502, '<h1>Bad gateway</h1>')
      if (n === 5) return answer(429, errorJson('rate_limited', 429), { 'Retry-After': '1' })
      return answer(200, eventJson(2), link('B'))
    },
    async (url) => {
      const followed = await take(clientOf(url, { fetch: losing }).followEvents(), 2)
      expect(eventsOf(followed).map(({ id, type }) => [id, type])).toEqual([
        [1n, 'pet.combed'],
        [2n, 'pet.combed'],
      ])
      expect(followed.map(({ cursor }) => cursor)).toEqual(['A', 'B'])
    },
  )
  expect(asked.map(({ cursor }) => cursor)).toEqual([null, ...Array<string>(6).fill('A')])
  expect((asked[6]?.at ?? 0) - (asked[5]?.at ?? 0)).toBeGreaterThanOrEqual(990)
})

test('followEvents waits for a Retry-After that is too long for a single call', () =>
  withServer(
    () => answer(503, errorJson('unavailable', 503), { 'Retry-After': '3600' }),
    async (url, tries) => {
      expect(await rejectionOf(clientOf(url).listEvents())).toMatchObject({ retryAfterMs: 3_600_000 })
      expect(tries()).toBe(1)
      const aborter = new AbortController()
      const pauses: number[] = []
      const patient = clientOf(url, { onRetry: (_reason, pauseMs) => pauses.push(pauseMs) })
      const next = patient.followEvents({ signal: aborter.signal }).next()
      await until('the client pauses', () => pauses.length > 0)
      expect(pauses[0]).toBeGreaterThanOrEqual(3_600_000)
      aborter.abort()
      expect((await next).done).toBe(true)
    },
  ))

test('polls a server that does not wait at most once a second', () =>
  withServer(
    () => answer(200, '[]', link('A')),
    async (url) => {
      const aborter = new AbortController()
      const times: number[] = []
      const timed = (url: string, init: RequestInit) => {
        times.push(performance.now())
        return fetch(url, init)
      }
      const next = clientOf(url, { fetch: timed }).followEvents({ signal: aborter.signal }).next()
      await until('the client polls again', () => times.length === 3)
      aborter.abort()
      await next
      const [, second = 0, third = 0] = times
      expect(third - second).toBeGreaterThanOrEqual(990)
    },
  ))

test('followEvents rejects a page without a link to the next page', () =>
  withServer(
    () => answer(200, '[]'),
    async (url) => {
      expect(await rejectionOf(clientOf(url).followEvents().next())).toMatchObject({ code: 'unexpected_answer' })
    },
  ))
