// How the page reads and sums the events of a day.

import { expect, test } from 'bun:test'
import { type Event, type EventFilter, PetstoreApiError } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { openedIn } from '../../src/address.ts'
import { DayLog, SALES } from '../../src/sales/day-log.ts'
import { daysFrom, Period } from '../../src/sales/period.ts'
import { totalsOf } from '../../src/sales/sales.ts'
import { daysOf } from '../../src/sales/sales-view.tsx'
import { event, fakeClient, pet } from './fake-client.ts'

const SPAN = { from: '2026-11-26T00:00:00Z', to: '2026-11-27T00:00:00Z' }

function at(id: number, type: EventType, seconds = 0, { by = 'till 1', order = 1, day = 26 } = {}): Event {
  const at = new Date(Date.UTC(2026, 10, day, 9, 0, seconds)).toISOString()
  return event(id, type, { at, by, orderId: BigInt(order) })
}

type Asked = EventFilter & { cursor?: string }

/** `events`: oldest first. `fail` can throw before a response. */
function reading(events: Event[], types: EventType[] | undefined, fail = (_asked: Asked) => {}) {
  const { client, calls } = fakeClient({
    listEvents(filter: Asked) {
      const { limit = 20, cursor } = filter
      fail(filter)
      const end = cursor === undefined ? events.length : Number(cursor)
      const start = Math.max(0, end - limit)
      const found = events.slice(start, end).filter(({ type }) => !types || (types as string[]).includes(type))
      return { events: found.reverse(), next: String(start) }
    },
  })
  const day = new DayLog(client, SPAN, types)
  const read = (wanted: number) => day.read(wanted, new AbortController().signal)
  return { day, calls, read, ids: () => day.log.value.events.map(({ id }) => Number(id)) }
}

const many = (from: number, count: number, type: EventType) =>
  Array.from({ length: count }, (_, n) => at(from + n, type))

test('the events of a day are read up to the wanted number; later, only the newer ones', async () => {
  const events = many(1, 250, 'order.completed')
  const { day, calls, ids, read } = reading(events, undefined)
  await read(100)
  expect([ids().length, day.log.value.hasMore, calls.length]).toEqual([100, true, 1])
  events.push(at(251, 'order.placed'))
  await read(200)
  expect([ids().length, ids()[0], new Set(ids()).size, calls.length]).toEqual([201, 251, 201, 3])
  await read(Number.POSITIVE_INFINITY)
  expect([ids().length, day.log.value.hasMore]).toEqual([251, false])
})

test('the events of a day start over if more than the wanted number are new, such as an import', async () => {
  const events = many(1, 10, 'order.completed')
  const { calls, ids, read } = reading(events, undefined)
  await read(100)
  events.push(...many(11, 50_000, 'pet.added'))
  const before = calls.length
  await read(100)
  expect([ids().length, ids()[0], calls.length - before]).toEqual([100, 50_010, 1])
})

test('resume after a failed read, and start over after a restore', async () => {
  let problem: Error | undefined = new Error('lost')
  const { calls, ids, read } = reading(many(1, 250, 'order.completed'), SALES, ({ cursor }) => {
    if (cursor === '50' && problem) throw problem
  })
  const failed = () => read(Number.POSITIVE_INFINITY).catch(({ message }) => message)
  expect([await failed(), ids().length]).toEqual(['lost', 200])
  problem = new PetstoreApiError('Begin again.', 'cursor_expired', 410)
  expect([await failed(), ids().length]).toEqual(['Begin again.', 0])
  problem = undefined
  await read(Number.POSITIVE_INFINITY)
  expect([ids().length, (calls.at(-1)?.[1] as Asked | undefined)?.type]).toEqual([250, SALES])
})

test('sums sales and returns by the name of the key, and over several tills', () => {
  const sales = [
    at(1, 'order.completed', 0, { by: 'till 10' }),
    at(2, 'order.completed', 0, { by: 'till 9' }),
    at(3, 'order.returned', 0, { by: 'till 10' }),
    at(4, 'order.returned', 0, { by: 'till 10' }),
  ]
  const tills = [
    { till: 'till 9', sold: 1, takenBack: 0 },
    { till: 'till 10', sold: 1, takenBack: 2 },
  ]
  expect(totalsOf(sales)).toEqual([...tills, { till: 'All tills', sold: 2, takenBack: 2 }])
  expect(totalsOf(sales.slice(1, 2))).toEqual(tills.slice(0, 1))
})

test('sums several days by till, category and day: a stopped read continues, and later sales count once', async () => {
  const days = daysFrom('2026-11-25', '2026-11-28')
  const sold = (id: number, day: number, more = {}) =>
    ({ ...at(id, 'order.completed', id % 60, { day }), pet: pet(id), ...more }) as Event
  const events = [
    ...Array.from({ length: 150 }, (_, n) => sold(n + 1, 25)),
    { ...at(151, 'order.returned', 0, { by: 'till 2', day: 28 }) },
  ]
  let isLost = true
  const { client, calls } = fakeClient({
    listEvents({ from, to, cursor, limit = 20 }: Asked) {
      // The service rejects `from` next to a cursor.
      expect([from, cursor]).toContain(undefined)
      const [start = '', skip = 0] = cursor?.split(' ') ?? [from]
      if (skip === '100' && isLost) throw new Error('lost')
      const found = events.filter(({ at }) => at >= start && at < (to ?? ''))
      const next = Number(skip) + limit
      return { events: found.slice(Number(skip), next), next: `${start} ${next}` }
    },
  })
  const period = new Period(client, days)
  const { signal } = new AbortController()
  expect(await period.read(signal).catch(({ message }) => message)).toBe('lost')
  expect([period.isDone, period.sums.value.all.sold]).toEqual([false, 100])
  isLost = false
  await period.read(signal)
  expect([period.isDone, period.progress, calls.length]).toEqual([true, 1, 7])
  const later = sold(152, 26)
  period.see([later, sold(3, 25), at(153, 'order.placed', 0, { day: 26 }), sold(154, 29)])
  period.see([later])
  const { all, byTill, byCategory, byDay } = period.sums.value
  expect(all).toEqual({ sold: 151, takenBack: 1 })
  expect([byTill.get('till 2'), byCategory.get('7'), byCategory.get('')]).toEqual([
    { sold: 0, takenBack: 1 },
    { sold: 151, takenBack: 0 },
    { sold: 0, takenBack: 1 },
  ])
  expect([...byDay.keys()].sort()).toEqual(['2026-11-25', '2026-11-26', '2026-11-28'])
})

test.each([
  ['today', '2026-11-29', '2026-11-29'],
  ['yesterday', '2026-11-28', '2026-11-28'],
  ['week', '2026-11-23', '2026-11-29'],
  ['month', '2026-11-01', '2026-11-29'],
] as const)('on a Sunday, %s begins on %s', (preset, day, to) => {
  expect(daysOf(preset, '2026-11-29')).toEqual([day, to])
})

test.each([
  ['view=sales&day=2026-11-01&to=2026-11-30', { day: '2026-11-01', to: '2026-11-30' }],
  ['view=sales&day=2025-11-01&to=2026-11-02', { to: undefined }],
  ['view=sales&day=2026-11-22&type=order.placed', { day: '2026-11-22', type: 'order.placed' }],
  ['view=activity&key=till', {}],
  ['view=sales&day=2026-02-31&type=constructor', { day: undefined, type: undefined }],
])('parses the address %s', (query, position) => {
  expect(openedIn(`?${query}`)).toMatchObject({ kind: 'sales', ...position })
})
