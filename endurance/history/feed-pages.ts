// Checks a page of the feed against its starting place, and computes the next place. A place is the number of events that a reader has passed.
// After a page that was not full, only bounds of the place are known.

import { type EventsAsk, type Operation, rowsOf, type Seen } from './operations.ts'
import type { Condition } from './rules.ts'
import { ROUNDED_MS } from './windows.ts'
import type { World } from './world.ts'

/** Bounds of the number of events that a reader has passed. */
export type Place = readonly [least: number, most: number]

interface Page {
  readonly ask: EventsAsk
  readonly shown: readonly Seen[]
  readonly world: World
  /** The versions that the store may have had. */
  readonly window: Place
  /** The place of the reader; `undefined` without a cursor. */
  readonly behind: Place | undefined
  /** The index of the first event that is not before `to`. */
  readonly end: number
}

/** The condition on the version, and the next place. */
interface Judged {
  readonly condition: (version: number) => boolean
  readonly place: Place
}

/** `places` has the places where earlier pages led, by the number of the operation. */
export function pageCondition(
  operation: Operation,
  ask: EventsAsk,
  world: World,
  places: Map<number, Place>,
  window: readonly [number, number],
): Condition {
  const shown = rowsOf<Seen>(operation)
  if (shown.length > ask.limit) return `a page of ${ask.limit} has ${shown.length} events`
  if (!operation.links.includes('rel="next"')) return 'it has no link to the next page'
  const behind = ask.behind === undefined ? undefined : (places.get(ask.behind) ?? [0, world.events.length])
  const end = ask.to === undefined ? world.events.length : firstFrom(ask.to, world)
  const page: Page = { ask, shown, world, window, behind, end }
  const found = ask.newest ? downwards(page) : upwards(page)
  if (typeof found === 'string') return found
  places.set(operation.n, found.place)
  const isEarly = operation.endedAt - operation.startedAt < 1000 * (ask.wait ?? 0) - ROUNDED_MS
  const { startedAt, endedAt } = operation
  const isStopping = world.circumstances.stops?.some(([from, to]) => endedAt >= from && startedAt <= to)
  if (shown.length > 0 || !isEarly || isStopping) return found.condition
  // A reader does not wait if an event at or after `to` exists, because nothing can follow.
  return ask.to === undefined ? 'it did not wait' : (k) => k > end && found.condition(k)
}

/** Judges a page in ascending order. */
function upwards(page: Page): Judged | string {
  const { ask, shown, world, window, behind, end } = page
  const [least, most] = beginOf(page)
  const wanted = matching(page, least, end)
  const start = shown.length > 0 ? wanted.indexOf(indexOf(shown[0], world)) : 0
  if (start < 0 || (start > 0 && (wanted[start - 1] as number) >= most)) return wrongStart(page, wanted[0])
  const wrong = rowsFault(page, wanted, start)
  if (wrong !== undefined) return wrong
  const isFull = shown.length >= ask.limit
  const seen = shown.length === 0 ? 0 : (wanted[start + shown.length - 1] as number) + 1
  const reached = Math.min(window[1], end)
  const place = (): Place => {
    if (shown.length > 0) return [seen, isFull ? seen : Math.max(seen, reached)]
    return [behind ? least : Math.min(least, end), Math.max(most, reached)]
  }
  // Without events, the place can be anywhere in its bounds, and the next matching event after them did not exist yet.
  const next = shown.length > 0 ? wanted[start + shown.length] : wanted.find((n) => n >= most)
  return { place: place(), condition: (k) => k >= seen && (isFull || next === undefined || k <= next) }
}

/** Judges a page in descending order. */
function downwards(page: Page): Judged | string {
  const { ask, shown, world, window, behind, end } = page
  const [least, most] = (behind ? behind.map((passed) => passed - 1) : window).map((top) => Math.min(top, end)) as [
    number,
    number,
  ]
  const { from = 'beginning' } = ask
  const begin = from === 'beginning' ? 0 : from === 'now' ? world.events.length : firstFrom(from, world)
  const wanted = matching(page, begin, most).toReversed()
  const start = shown.length > 0 ? wanted.indexOf(indexOf(shown[0], world)) : wanted.length
  // The event above the first one did not exist yet, or the reader had passed it.
  const above = wanted[start - 1]
  if (start < 0 || (behind && above !== undefined && above < least)) return wrongStart(page, wanted[0])
  const wrong = rowsFault(page, wanted, start)
  if (wrong !== undefined) return wrong
  const missing = wanted[start + shown.length]
  if (shown.length < ask.limit && missing !== undefined) return `event ${world.events[missing]?.id} is missing`
  const last = wanted[start + shown.length - 1]
  const place: Place = shown.length > 0 ? [(last as number) + 1, (last as number) + 1] : (behind ?? [least, most])
  const newest = shown.length > 0 ? (wanted[start] as number) : -1
  return { place, condition: (k) => k > newest && (behind !== undefined || above === undefined || k <= above) }
}

/** Returns the place where an ascending page starts. */
function beginOf({ ask: { from = 'beginning' }, world, window, behind }: Page): Place {
  if (behind) return behind
  if (from === 'beginning') return [0, 0]
  const first = from === 'now' ? world.events.length : firstFrom(from, world)
  // Before that event existed, the place was after the last one.
  return [Math.min(first, window[0]), Math.min(first, window[1])]
}

/** Compares the rows with the events from `start` on. */
function rowsFault({ shown, world: { events } }: Page, wanted: readonly number[], start: number): string | undefined {
  for (const [n, event] of shown.entries()) {
    const should = events[wanted[start + n] ?? -1]
    if (!should || !Bun.deepEquals(should, event))
      return `it has ${JSON.stringify(event)} instead of ${should ? JSON.stringify(should) : 'no event'}`
  }
  return undefined
}

function wrongStart({ shown, world: { events } }: Page, first: number | undefined): string {
  return `it starts with event ${shown[0]?.id} instead of ${events[first ?? -1]?.id}`
}

/** Returns the indexes of the events that match the filters, in ascending order. */
function matching({ ask, world: { events } }: Page, from: number, to: number): number[] {
  const { petId, orderId, type } = ask
  return events.slice(from, Math.max(from, to)).flatMap((event, n) => {
    if ((petId ?? event.petId) !== event.petId || (orderId ?? event.orderId) !== event.orderId) return []
    return type === undefined || type.includes(event.type) ? [from + n] : []
  })
}

/** Returns the index of the first event at or after the time. */
function firstFrom(time: string, { events }: World): number {
  const utc = new Date(time).toISOString()
  const first = events.findIndex(({ at }) => at >= utc)
  return first < 0 ? events.length : first
}

function indexOf(event: Seen | undefined, { events }: World): number {
  return events.findIndex(({ id }) => id === event?.id)
}
