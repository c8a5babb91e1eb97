// Finds out whether the service's clock was ahead in an interval of the feed. Events keep the times that they were
// given, and an interval ends before the first event that is not earlier than its end. So until the clock has caught
// up, later events are missing.

import type { Event } from '../../client/src/responses.ts'
import { PAGE_MAX } from '../../contract/src/generated.ts'

export interface ClockAhead {
  /** The time of an event. */
  at: string
  /** The earlier time of an event after it. */
  next: string
}

/** Smaller corrections of a clock are normal. */
const TOLERANCE_MS = 60_000

type Timed = Pick<Event, 'at'>

export class ClockWatch {
  ahead: ClockAhead | undefined
  /** The latest time so far; if the events are read backwards, the earliest. */
  #edge: string | undefined

  /** `to`: of the events from `to` on, only the first one counts. The others do not belong to the interval. */
  constructor(
    private readonly isBackwards = false,
    private readonly to?: string,
  ) {}

  /** Call this for each event in the order in which it is read. */
  see({ at }: Timed): void {
    const ms = Date.parse(at)
    const edge = this.#edge ?? at
    if (this.#edge !== undefined && this.to !== undefined && ms >= Date.parse(this.to)) return
    const afterMs = (ms - Date.parse(edge)) * (this.isBackwards ? -1 : 1)
    if (afterMs < -TOLERANCE_MS) this.ahead ??= this.isBackwards ? { at, next: edge } : { at: edge, next: at }
    if (afterMs > 0 || this.#edge === undefined) this.#edge = at
  }
}

/**
 * Resolves with events around the time `to` that show whether the clock was ahead of it: the first page from `to` on
 * and, because the clock may have been ahead for longer, the newest event.
 */
export async function eventsFrom(
  to: string,
  read: (filter: { from?: string; sort?: 'newest'; limit: number }) => Promise<{ events: readonly Timed[] }>,
): Promise<readonly Timed[]> {
  const { events } = await read({ from: to, limit: PAGE_MAX })
  return events.length === 0 ? [] : [...events, ...(await read({ sort: 'newest', limit: 1 })).events]
}
