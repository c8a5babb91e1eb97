// Serves readers of the event feed. Readers that want the same page share one read, and readers at the end of the
// feed wait, up to a limit.
//
// The end of the feed is read after each change by this process, and otherwise every few milliseconds while readers
// wait, because other processes can change the store. It polls: LISTEN does not work through a transaction-mode
// pooler, and would cost a connection per server and a lock per commit.

import type { EventFilter, EventPage, EventPosition } from '../domain/events.ts'
import { OVERLOADED } from '../domain/petstore-error.ts'
import type { Store } from '../domain/store.ts'
import { monotonicMs, startInterval, startTimer, stopTimer, type Timer, watchSize } from '../system/runtime.ts'
import type { Client } from './operations/handler.ts'
import { SharedReads } from './shared-reads.ts'

const LOOK_EVERY_MS = 40
/**
 * Limits wake-ups, so that changes continue next to many readers: a thousand readers wake once a second, ten every 10
 * ms, a single one immediately.
 */
const WAKES_PER_MS = 1
/** Revoked keys must stop working within a second. */
const VERIFY_EVERY_MS = 500

/** A client that waits for events. */
type Reader = Pick<Client, 'signal' | 'verify'>

interface EventWait {
  readonly position: EventPosition
  /** On the clock of `monotonicMs`. */
  readonly until: number
  readonly reader: Reader
  /** `true`: the feed has events after the position. */
  readonly end: (moved: boolean) => void
  readonly fail: (error: unknown) => void
}

export class Feed {
  /** The number of sent events. */
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
  /** The store's version when `end` was read. */
  private version: number | undefined

  constructor(
    private readonly store: Pick<Store, 'listEvents' | 'findEnd' | 'version'>,
    private readonly waitingMax: number,
  ) {
    watchSize('waiting readers', () => this.readers.size)
  }

  get waiting(): number {
    return this.readers.size
  }

  /** Includes everything committed before the call. */
  read(filter: EventFilter): Promise<EventPage> {
    const { limit, petId, orderId, type, from, to, sort, after } = filter
    const name = [limit, petId, orderId, from, to, sort, after?.epoch, after?.id, after?.mark, type].join()
    return this.pages.get(name, () => this.store.listEvents(filter))
  }

  /**
   * Resolves with the next page after the position that has events. Resolves with an empty page at `until`, when the
   * feed stops, or when `filter.to` has passed.
   */
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

  /** Call this after each change by this process. */
  changed(): void {
    if (this.readers.size === 0 || this.planned) return
    this.planned = true
    startTimer(
      () => {
        this.planned = false
        void this.wakeReaders()
      },
      Math.max(0, this.notBefore - monotonicMs()),
    )
  }

  /** Responds to all waiting readers. Later readers do not wait. */
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
    // There may be events since the reader's page was read that an earlier look has already seen.
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
    if (now >= this.notBefore) void this.wakeReaders()
  }

  /**
   * Wakes the readers that are not at the end of the feed. If the store fails, wakes all: they read and get its
   * error.
   */
  private async wakeReaders(): Promise<void> {
    if (this.looking) return
    this.looking = true
    try {
      const { data } = this.store.version()
      if (data !== undefined && data === this.version) return
      this.version = data
      this.end = await this.store.findEnd()
    } catch {
      this.end = undefined
    } finally {
      this.looking = false
    }
    const woken = [...this.readers].filter(({ position }) => !isSamePosition(position, this.end))
    for (const { end } of woken) end(true)
    this.notBefore = monotonicMs() + woken.length / WAKES_PER_MS
  }
}

function isSamePosition(position: EventPosition, other: EventPosition | undefined): boolean {
  return position.id === other?.id && position.mark === other.mark && position.epoch === other.epoch
}
