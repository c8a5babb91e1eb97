// Computes the totals per till of a day, and formats its times.

import type { Event } from '../../../client/src/petstore.ts'
import { NET_SOLD } from '../../../files/src/event-rows.ts'
import { dayOf } from '../../../files/src/local-time.ts'
import { plain } from '../parts/visible-text.ts'
import { clock, time } from '../phrases.ts'

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

/** "Thursday 26 November 2026", as the browser's language writes it. */
export function longDay(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString([], { dateStyle: 'full' })
}

/** The time of day, with the date if a clock was moved back over midnight. */
export function clockOn(day: string, at: string): string {
  return dayOf(Date.parse(at)) === day ? clock(at) : time(at)
}
