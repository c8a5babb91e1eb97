// The readers of the feed of events: those who want the same together share one reading, and those for whom nothing follows yet wait,
// together and bounded.
//
// The end of the feed is looked at when this process has changed something, and otherwise every few milliseconds, while somebody waits:
// other processes change the store, too. On PostgreSQL that is a question and no LISTEN, which a pooler in transaction mode does not
// carry, and which would be a connection more for each server and a lock more for each commit.

import type { EventFilter, EventPage, EventPosition } from '../domain/events.ts'
import { OVERLOADED } from '../domain/petstore-error.ts'
import type { Store } from '../domain/store.ts'
import { monotonicMs, startInterval, startTimer, stopTimer, type Timer } from '../system/runtime.ts'
import type { Reader } from './response/response.ts'
import { SharedReads } from './response/shared-reads.ts'

const LOOK_EVERY_MS = 40
/** Wakes are gathered, so that changes go on beside many readers: a thousand are woken once a second, ten every 10 ms, one at once. */
const WAKES_PER_MS = 1
/** A revoked key must stop working within a second. */
const VERIFY_EVERY_MS = 500

interface EventWait {
  readonly position: EventPosition
  /** On the clock of `monotonicMs`. */
  readonly until: number
  readonly reader: Reader
  /** `true`: the end of the feed has moved on from the position. */
  readonly end: (moved: boolean) => void
  readonly fail: (error: unknown) => void
}

export class Feed {
  /** How many events were sent. */
  sent = 0
  private readonly pages = new SharedReads<EventPage>()
  private readonly readers = new Set<EventWait>()
  private stopped = false
  private timer: Timer | undefined
  private verifiedAt = 0
  private looking = false
  private planned = false
  private notBefore = 0
  private end: EventPosition | undefined
  /** The store's version when its end was looked at. */
  private version: number | undefined

  constructor(
    private readonly store: Pick<Store, 'listEvents' | 'findEnd' | 'version'>,
    private readonly waitingMax: number,
  ) {}

  get waiting(): number {
    return this.readers.size
  }

  /** Not before what was committed when it is called. */
  read(filter: EventFilter): Promise<EventPage> {
    const { limit, petId, orderId, type, from, to, sort, after } = filter
    const name = [limit, petId, orderId, from, to, sort, after?.epoch, after?.id, after?.mark, type].join()
    return this.pages.get(name, () => this.store.listEvents(filter))
  }

  /** The next page behind the position that is not empty; or an empty one at `until`, or when the feed stops or `filter.to` is past. */
  async readLater(filter: EventFilter, after: EventPosition, until: number, reader: Reader): Promise<EventPage> {
    for (let position = after; ; ) {
      const moved = await this.wait(position, until, reader)
      await reader.verify()
      if (!moved) return { json: '[]', count: 0, next: position, ended: false }
      const page = await this.read({ ...filter, after: position })
      if (page.count > 0 || page.ended) return page
      position = page.next
    }
  }

  /** Call it when this process has changed the store. */
  changed(): void {
    if (this.readers.size === 0 || this.planned) return
    this.planned = true
    startTimer(
      () => {
        this.planned = false
        this.look()
      },
      Math.max(0, this.notBefore - monotonicMs()),
    )
  }

  /** Answers all who wait. Nobody waits any more. */
  stop(): void {
    this.stopped = true
    for (const { end } of this.readers) end(false)
  }

  /** Throws OVERLOADED. */
  private async wait(position: EventPosition, until: number, reader: Reader): Promise<boolean> {
    const { signal } = reader
    if (this.stopped || signal.aborted) return false
    if (this.readers.size >= this.waitingMax) throw OVERLOADED
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const left = () => resolve(false)
    const waiting: EventWait = { position, until, reader, end: resolve, fail: reject }
    this.readers.add(waiting)
    signal.addEventListener('abort', left)
    // Something may have happened since the reader's page was read, and may have been looked at already.
    if (!isSamePosition(position, this.end)) this.version = undefined
    this.timer ??= startInterval(() => this.tick(), LOOK_EVERY_MS)
    try {
      return await promise
    } finally {
      this.readers.delete(waiting)
      signal.removeEventListener('abort', left)
    }
  }

  private tick(): void {
    const now = monotonicMs()
    for (const { until, end } of this.readers) if (until <= now) end(false)
    if (this.readers.size === 0) {
      stopTimer(this.timer)
      this.timer = undefined
      return
    }
    if (now - this.verifiedAt >= VERIFY_EVERY_MS) {
      this.verifiedAt = now
      for (const { reader, fail } of this.readers) reader.verify().catch(fail)
    }
    if (now >= this.notBefore) this.look()
  }

  /** Wakes the readers whose position is not the end of the feed any more. Where the store fails, all: they read, and get its error. */
  private async look(): Promise<void> {
    if (this.looking) return
    const { data } = this.store.version()
    if (data !== undefined && data === this.version) return
    this.looking = true
    this.version = data
    this.end = await this.store.findEnd().catch(() => undefined)
    this.looking = false
    const woken = [...this.readers].filter(({ position }) => !isSamePosition(position, this.end))
    for (const { end } of woken) end(true)
    this.notBefore = monotonicMs() + woken.length / WAKES_PER_MS
  }
}

function isSamePosition(position: EventPosition, other: EventPosition | undefined): boolean {
  return position.id === other?.id && position.mark === other.mark && position.epoch === other.epoch
}
