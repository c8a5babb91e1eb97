// Computes the totals per till and the lines of a day from its events.

import type { Event } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { NET_SOLD } from '../../../files/src/event-rows.ts'
import { dayOf } from '../../../files/src/local-time.ts'
import { plain } from '../parts/visible-text.ts'
import { clock, number, time } from '../phrases.ts'
import { COUNTED_MAX, type DayEvents } from './day-events.ts'

interface Total {
  till: string
  sold: number
  takenBack: number
}

/** Totals by the name of the till's key, and their sum if there are several tills. */
export function totalsOf(sales: readonly Event[]): Total[] {
  const tills = new Map<string, Total>()
  const all = { till: 'All tills', sold: 0, takenBack: 0 }
  for (const { type, by = '' } of sales) {
    const till = tills.get(by) ?? { till: plain(by), sold: 0, takenBack: 0 }
    tills.set(by, till)
    for (const total of [till, all]) total[NET_SOLD[type] === 1 ? 'sold' : 'takenBack']++
  }
  const each = [...tills.values()].sort((a, b) => a.till.localeCompare(b.till, undefined, { numeric: true }))
  return each.length > 1 ? [...each, all] : each
}

const DIRECT_MS = 60_000

/** Omits reservations that the same key completed within a minute, so that a sale at the counter is one line. */
function withoutDirect(events: readonly Event[]): readonly Event[] {
  const sold = new Map<bigint | undefined, Event>()
  return events.filter((event) => {
    if (event.type === 'order.completed') sold.set(event.orderId, event)
    const sale = event.type === 'order.placed' ? sold.get(event.orderId) : undefined
    return !sale || sale.by !== event.by || Math.abs(Date.parse(sale.at) - Date.parse(event.at)) > DIRECT_MS
  })
}

/** Newest first. Sales are always read, because they show which reservations are omitted. */
export function linesOf(events: DayEvents, types: readonly EventType[]): readonly Event[] {
  const known = events.of(...new Set([...types, 'order.completed' as const]))
  return withoutDirect(known).filter(({ type }) => (types as readonly string[]).includes(type))
}

/** `undefined` until the events are counted. */
export function count(events: DayEvents, types: readonly EventType[]): string | undefined {
  if (!events.isCounted(...types)) return undefined
  return events.isWhole(...types) ? number(linesOf(events, types).length) : `${number(COUNTED_MAX)}+`
}

/** "Thursday 26 November 2026", as the browser's language writes it. */
export function longDay(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString([], { dateStyle: 'full' })
}

/** The time of day, with the date if a clock was set back over midnight. */
export function clockOn(day: string, at: string): string {
  return dayOf(Date.parse(at)) === day ? clock(at) : time(at)
}
