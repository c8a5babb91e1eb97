// The events of one day by type: all sales and returns, and up to 10,000 of each other type. A failed read resumes.

import type { Event, PetstoreClient } from '../../../client/src/petstore.ts'
import { type EventType, PAGE_MAX } from '../../../contract/src/generated.ts'
import { type ClockAhead, ClockWatch, eventsFrom } from '../../../files/src/clock-ahead.ts'
import { NET_SOLD } from '../../../files/src/event-rows.ts'
import type { Span } from '../../../files/src/local-time.ts'
import { EVENT_NAMES } from '../animal/status-labels.ts'
import { toFailure } from '../failures.ts'
import { concurrently } from '../parts/concurrently.ts'

/** The maximum of events read for a type that is not a sale, because a delivery can add any number of animals. */
export const COUNTED_MAX = 10_000
export const TYPES = Object.keys(EVENT_NAMES) as EventType[]
export const SALES = TYPES.filter((type) => type in NET_SOLD)

interface Reading {
  /** Newest first. */
  events: Event[]
  next?: string | undefined
  state: 'open' | 'whole' | 'more'
}

export class DayEvents {
  readonly #client: PetstoreClient
  readonly #span: Span
  #readings = new Map<EventType, Reading>()
  #isOver = false
  /** Sees the events after the day. */
  #later = new ClockWatch()
  #hasLater = false

  constructor(client: PetstoreClient, span: Span) {
    this.#client = client
    this.#span = span
    this.restart()
  }

  /** Discards everything, because the store was restored. */
  restart(): void {
    this.#readings = new Map(TYPES.map((type) => [type, { events: [], state: 'open' }]))
    this.#isOver = false
    this.#later = new ClockWatch(false, this.#span.to)
    this.#hasLater = false
  }

  /** Reads the missing events, sales first. */
  async read(signal: AbortSignal, onRead: () => void): Promise<void> {
    await concurrently([...SALES, ...TYPES.filter((type) => !SALES.includes(type))], async (type) => {
      const reading = this.#reading(type)
      while (reading.state === 'open') {
        const isFirst = reading.next === undefined
        await this.#readPage(type, reading, signal)
        if (isFirst || reading.state !== 'open') onRead()
      }
    })
    if (this.#hasLater) return
    const read = (filter: object) => this.#client.listEvents(filter, { signal, retries: 0 })
    const later = await eventsFrom(this.#span.to, read)
    signal.throwIfAborted()
    this.#hasLater = true
    for (const event of later) this.#later.see(event)
    if (this.#later.ahead) onRead()
  }

  /** Two times that show that the service's clock was ahead on this day. */
  get clockAhead(): ClockAhead | undefined {
    const watch = new ClockWatch(true)
    for (const event of this.of(...TYPES)) watch.see(event)
    return watch.ahead ?? this.#later.ahead
  }

  async #readPage(type: EventType, reading: Reading, signal: AbortSignal): Promise<void> {
    const filter = { ...this.#span, type: [type], sort: 'newest' as const, limit: PAGE_MAX, cursor: reading.next }
    const { events, next } = await this.#client.listEvents(filter, { signal, retries: 0 }).catch((error) => {
      if (toFailure(error).code === 'cursor_expired') this.restart()
      throw error
    })
    signal.throwIfAborted()
    // The feed can have delivered the newest of these events already.
    const oldest = reading.events.at(-1)?.id
    reading.events.push(...events.filter(({ id }) => oldest === undefined || id < oldest))
    reading.next = next
    // With a filter, a short page is not the last one; only an empty page is.
    if (events.length === 0) reading.state = 'whole'
    else if (reading.events.length >= COUNTED_MAX && !SALES.includes(type)) reading.state = 'more'
  }

  /** Adds events of the feed, oldest first. Returns false if none changes what is known about this day. */
  add(events: readonly Event[]): boolean {
    const { ahead } = this.#later
    const mine = events.filter((event) => {
      const { at } = event
      this.#isOver ||= Date.parse(at) >= Date.parse(this.#span.to)
      if (this.#isOver) this.#later.see(event)
      return !this.#isOver && (Date.parse(at) >= Date.parse(this.#span.from) || this.#hasBegun())
    })
    for (const event of mine) {
      const known = this.#readings.get(event.type as EventType)?.events
      if (known && event.id > (known[0]?.id ?? -1n)) known.unshift(event)
    }
    return mine.length > 0 || this.#later.ahead !== ahead
  }

  /**
   * A day ends with the first event of the next one. If a clock was set back, events with earlier times can follow and
   * still belong to the day.
   */
  #hasBegun(): boolean {
    return [...this.#readings.values()].some(({ events }) => events.length > 0)
  }

  /** Returns the events of these types, newest first, back to the time that all of them have been read to. */
  of(...types: readonly EventType[]): readonly Event[] {
    const readings = types.map((type) => this.#reading(type))
    const open = readings.filter(({ state }) => state !== 'whole').map(({ events }) => events.at(-1)?.id)
    return readings
      .flatMap(({ events }) => events)
      .filter(({ id }) => open.every((from) => from !== undefined && id >= from))
      .sort((a, b) => (a.id > b.id ? -1 : 1))
  }

  isWhole(...types: readonly EventType[]): boolean {
    return types.every((type) => this.#reading(type).state === 'whole')
  }

  /** True if each type is read to its end or to its maximum. */
  isCounted(...types: readonly EventType[]): boolean {
    return types.every((type) => this.#reading(type).state !== 'open')
  }

  #reading(type: EventType): Reading {
    return this.#readings.get(type) as Reading
  }
}
