// The events of one day: what was read of them so far, newest first, and what happens meanwhile. A reading that fails goes on where it stopped.

import { useReducer, useRef } from 'preact/hooks'
import type { Event, PetstoreClient } from '../../../client/src/petstore.ts'
import { type EventType, PAGE_MAX } from '../../../contract/src/generated.ts'
import { toFailure } from '../failures.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { type Loaded, useLoaded } from '../parts/loaded.ts'
import type { Span } from './days.ts'

export interface DayEvents extends Pick<Loaded<unknown>, 'failure' | 'reload'> {
  /** Newest first. */
  events: readonly Event[]
  /** Nothing of the day is missing. */
  whole: boolean
}

interface Reading {
  events: Event[]
  /** From the feed since the reading began, oldest first. */
  live: Event[]
  next: string | undefined
  whole: boolean
}

const nothing = (): Reading => ({ events: [], live: [], next: undefined, whole: false })

interface DayEventsProps {
  client: PetstoreClient
  feed: Feed
  span: Span
}

/** `all`: to the end; otherwise as many as a page has. The day must not change: another day is another component. */
export function useDayEvents(
  { client, feed, span }: DayEventsProps,
  type: readonly EventType[],
  all: boolean,
): DayEvents {
  const reading = useRef(nothing())
  const [, show] = useReducer((count: number) => count + 1, 0)
  const { failure, reload } = useLoaded(
    async (signal) => {
      for (let now = reading.current; !now.whole && (all || now.events.length < PAGE_MAX); ) {
        const filter = { ...span, type: [...type], sort: 'newest' as const, limit: PAGE_MAX, cursor: now.next }
        const { events, next } = await client.listEvents(filter, { signal, retries: 0 }).catch(startAgain)
        signal.throwIfAborted()
        now.events.push(...events)
        now.next = next
        // With a filter, a page may be short before the end: only an empty one is it.
        now.whole = events.length === 0
        show(undefined)
      }
    },
    [all],
  )

  /** What was restored from a backup has another past. */
  function startAgain(error: unknown): never {
    if (toFailure(error).code === 'cursor_expired') reading.current = nothing()
    throw error
  }

  useEvents(feed, (events, gap) => {
    if (gap) {
      reading.current = nothing()
      reload()
    }
    const mine = events.filter((event) => (type as readonly string[]).includes(event.type) && isWithin(event, span))
    reading.current.live.push(...mine)
    if (mine.length > 0) show(undefined)
  })

  const { events, live, next, whole } = reading.current
  // The feed may tell what the first page has, too.
  const newest = next === undefined ? undefined : (events[0]?.id ?? 0n)
  const later = newest === undefined ? [] : live.filter(({ id }) => id > newest).reverse()
  return { events: later.length > 0 ? [...later, ...events] : events, whole, failure, reload }
}

function isWithin({ at }: Event, { from, to }: Span): boolean {
  return Date.parse(from) <= Date.parse(at) && Date.parse(at) < Date.parse(to)
}
