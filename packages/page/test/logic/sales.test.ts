// How the page reads and counts the events of a day.

import { describe, expect, test } from 'bun:test'
import { type Event, type EventFilter, PetstoreApiError } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { DayEvents, SALES, TYPES } from '../../src/sales/day-events.ts'
import { count, linesOf, totalsOf } from '../../src/sales/sales.ts'
import { salesFrom } from '../../src/sales/sales-address.ts'
import { event, fakeClient } from './fake-client.ts'

const SPAN = { from: '2026-11-26T00:00:00Z', to: '2026-11-27T00:00:00Z' }

function at(id: number, type: EventType, seconds = 0, { by = 'till 1', order = 1, day = 26 } = {}): Event {
  const at = new Date(Date.UTC(2026, 10, day, 9, 0, seconds)).toISOString()
  return event(id, type, { at, by, orderId: BigInt(order) })
}

type Asked = EventFilter & { cursor?: string }

/** `events`: oldest first. `fail` can throw before an answer. */
function reading(events: readonly Event[], fail = (_asked: Asked) => {}) {
  const asked: string[] = []
  const { client } = fakeClient({
    listEvents(filter: Asked) {
      const { type = [], limit = 20, cursor = '0' } = filter
      fail(filter)
      asked.push(`${type} ${cursor}`)
      const found = events.filter((one) => (type as readonly string[]).includes(one.type)).reverse()
      const end = Number(cursor) + limit
      return { events: found.slice(Number(cursor), end), next: String(end) }
    },
  })
  const day = new DayEvents(client, SPAN)
  const read = () => day.read(new AbortController().signal, () => {})
  return { day, asked, read }
}

const idsOf = (events: readonly Event[]) => events.map(({ id }) => Number(id))

describe('the events of a day', () => {
  test('are read sales first; each other type is counted up to 10,000', async () => {
    const delivery = Array.from({ length: 50_000 }, (_, n) => at(n + 10, 'pet.added'))
    const { day, asked, read } = reading([at(1, 'order.completed'), at(2, 'order.returned'), ...delivery])
    await read()
    expect(asked.slice(0, 2)).toEqual(SALES.map((type) => `${type} 0`))
    expect(asked.filter((one) => one.startsWith('pet.added')).length).toBe(100)
    expect([idsOf(day.of(...SALES)), day.isWhole(...SALES)]).toEqual([[2, 1], true])
    expect(TYPES.map((type) => count(day, [type]))).toEqual(['1', '0', '1', '0', '0', '0', '10,000+', '0', '0'])
    expect(count(day, TYPES)).toBe('10,000+')
    // The sales are older than the last event read of the delivery.
    expect(idsOf(linesOf(day, TYPES)).at(-1)).toBe(40_010)
  })

  test('resume after a failed read, and start over after a restore', async () => {
    let problem: Error | undefined = new Error('lost')
    const sales = Array.from({ length: 250 }, (_, n) => at(n + 1, 'order.completed'))
    const { day, asked, read } = reading(sales, ({ cursor }) => {
      if (cursor === '200' && problem) throw problem
    })
    await expect(read()).rejects.toThrow('lost')
    expect(count(day, ['order.completed'])).toBeUndefined()
    problem = new PetstoreApiError('Begin again.', 'cursor_expired', 410)
    await expect(read()).rejects.toThrow('Begin again')
    expect(day.of('order.completed')).toEqual([])
    problem = undefined
    await read()
    expect(asked.filter((one) => one === 'order.completed 0').length).toBe(2)
    expect(count(day, ['order.completed'])).toBe('250')
  })

  test('include each event of the feed once until the next day, even if a clock is set back', async () => {
    const { day, read } = reading([at(5, 'order.completed'), at(6, 'order.completed')])
    expect(day.add([at(4, 'order.completed', 0, { day: 25 })])).toBe(false)
    expect(day.add([at(6, 'order.completed')])).toBe(true)
    await read()
    day.add([at(6, 'order.completed'), at(7, 'order.completed', 0, { day: 25 })])
    day.add([at(8, 'order.completed', 0, { day: 27 }), at(9, 'order.completed')])
    expect(idsOf(day.of('order.completed'))).toEqual([7, 6, 5])
  })
})

describe('a clock that was ahead', () => {
  test('is noticed in the events of the feed, unless it was ahead by less than a minute', async () => {
    for (const seconds of [59, 120]) {
      const { day, read } = reading([])
      await read()
      const midnight = Date.parse(SPAN.to)
      const happened = (id: number, ms: number) => event(id, 'pet.added', { at: new Date(ms).toISOString() })
      day.add([happened(1, midnight), happened(2, midnight + 86_400_000)])
      expect(day.clockAhead).toBeUndefined()
      expect(day.add([happened(3, midnight - seconds * 1_000)])).toBe(seconds > 60)
      expect(day.clockAhead?.at).toBe(seconds > 60 ? new Date(midnight).toISOString() : undefined)
    }
  })
})

test.each([
  ['by the same key within a minute', at(1, 'order.placed'), at(2, 'order.completed', 60), [2]],
  ['later', at(1, 'order.placed'), at(2, 'order.completed', 61), [2, 1]],
  ['by another key', at(1, 'order.placed'), at(2, 'order.completed', 1, { by: 'till 2' }), [2, 1]],
  ['of another order', at(1, 'order.placed'), at(2, 'order.completed', 1, { order: 2 }), [2, 1]],
])('lists a reservation and its sale %s', async (_when, placed, completed, lines) => {
  const { day, read } = reading([placed, completed])
  await read()
  expect(idsOf(linesOf(day, TYPES))).toEqual(lines)
  expect(count(day, ['order.placed'])).toBe(String(lines.length - 1))
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
  ['view=sales&day=2026-02-31&type=sold', { day: undefined, type: undefined }],
])('parses the address %s', (query, position) => {
  expect(salesFrom(new URLSearchParams(query))).toMatchObject({ kind: 'sales', ...position })
})
