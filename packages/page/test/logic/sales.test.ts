// How the page reads and sums the events of a day.

import { describe, expect, test } from 'bun:test'
import { type Event, type EventFilter, PetstoreApiError } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { openedIn } from '../../src/address.ts'
import { DayLog, SALES } from '../../src/sales/day-log.ts'
import { totalsOf } from '../../src/sales/sales.ts'
import { event, fakeClient } from './fake-client.ts'

const SPAN = { from: '2026-11-26T00:00:00Z', to: '2026-11-27T00:00:00Z' }

function at(id: number, type: EventType, seconds = 0, { by = 'till 1', order = 1, day = 26 } = {}): Event {
  const at = new Date(Date.UTC(2026, 10, day, 9, 0, seconds)).toISOString()
  return event(id, type, { at, by, orderId: BigInt(order) })
}

type Asked = EventFilter & { cursor?: string }

/** `events`: oldest first. `fail` can throw before an answer. */
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

describe('the events of a day', () => {
  test('are read up to the wanted number; later, only those since the last read', async () => {
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

  test('start over if more than the wanted number are new, such as an import', async () => {
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

test.each([
  ['view=sales&day=2026-11-22&type=order.placed', { day: '2026-11-22', type: 'order.placed' }],
  ['view=activity&key=till', {}],
  ['view=sales&day=2026-02-31&type=constructor', { day: undefined, type: undefined }],
])('parses the address %s', (query, position) => {
  expect(openedIn(`?${query}`)).toMatchObject({ kind: 'sales', ...position })
})
