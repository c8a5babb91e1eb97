// The events of one day, newest first, of some types or of all: as many as are wanted. A failed read resumes.

import { signal } from '@preact/signals'
import type { Event, PetstoreClient } from '../../../client/src/petstore.ts'
import { type EventType, PAGE_MAX } from '../../../contract/src/generated.ts'
import { type ClockAhead, ClockWatch, eventsFrom } from '../../../files/src/clock-ahead.ts'
import { NET_SOLD } from '../../../files/src/event-rows.ts'
import type { Span } from '../../../files/src/local-time.ts'
import { EVENT_NAMES } from '../animal/status-labels.ts'
import { toFailure } from '../failures.ts'

export const TYPES = Object.keys(EVENT_NAMES) as EventType[]
export const SALES = TYPES.filter((type) => type in NET_SOLD)

interface Log {
  events: readonly Event[]
  /** Whether older events are missing. */
  hasMore: boolean
  /** The start of the older events. */
  cursor?: string | undefined
}

const EMPTY: Log = { events: [], hasMore: true }

export class DayLog {
  readonly log = signal(EMPTY)
  readonly #client: PetstoreClient
  readonly #filter: Span & { type?: EventType[] }

  /** `types`: `undefined` for all. */
  constructor(client: PetstoreClient, span: Span, types?: EventType[]) {
    this.#client = client
    this.#filter = types ? { ...span, type: types } : span
  }

  /** Reads the events since the last read, and older ones until `wanted` are known. */
  async read(wanted: number, signal: AbortSignal): Promise<void> {
    const known = this.log.peek().events[0]
    const later: Event[] = []
    for (let cursor: string | undefined; known; ) {
      const page = await this.#page(cursor, signal)
      const missing = page.events.filter(({ id }) => id > known.id)
      later.push(...missing)
      cursor = page.next
      if (later.length >= wanted) {
        // So many are new that the known ones are too old to be shown.
        this.log.value = { events: later, hasMore: true, cursor }
        return
      }
      if (missing.length < page.events.length || missing.length === 0) break
    }
    if (later.length > 0) this.#add((before) => ({ ...before, events: [...later, ...before.events] }))
    for (let { hasMore, events, cursor } = this.log.peek(); hasMore && events.length < wanted; ) {
      const page = await this.#page(cursor, signal)
      // A short page is not the last one if there is a filter; only an empty page is.
      this.#add((before) => ({
        events: [...before.events, ...page.events],
        hasMore: page.events.length > 0,
        cursor: page.next,
      }))
      ;({ hasMore, events, cursor } = this.log.peek())
    }
  }

  /** Forgets everything, because events are missing. */
  restart(): void {
    this.log.value = EMPTY
  }

  #add(change: (before: Log) => Log): void {
    this.log.value = change(this.log.peek())
  }

  async #page(cursor: string | undefined, signal: AbortSignal) {
    const at = { ...this.#filter, sort: 'newest' as const, limit: PAGE_MAX, cursor }
    const page = await this.#client.listEvents(at, { signal, retries: 0 }).catch((error) => {
      // The store was restored.
      if (toFailure(error).code === 'cursor_expired') this.restart()
      throw error
    })
    signal.throwIfAborted()
    return page
  }
}

/**
 * Resolves with two times that show that the service's clock was ahead on a day that ends at `to`. `known`: events of
 * the day, newest first.
 */
export async function readClockAhead(
  client: PetstoreClient,
  to: string,
  known: readonly (readonly Event[])[],
  signal?: AbortSignal,
): Promise<ClockAhead | undefined> {
  for (const events of known) {
    const watch = new ClockWatch(true)
    for (const event of events) watch.see(event)
    if (watch.ahead) return watch.ahead
  }
  const later = new ClockWatch(false, to)
  for (const event of await eventsFrom(to, (filter) => client.listEvents(filter, { signal, retries: 0 }))) {
    later.see(event)
  }
  return later.ahead
}
