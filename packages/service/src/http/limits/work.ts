// Limits the work of a process: how many requests it accepts, and how long it works on each.

import { LIMITS } from '../../domain/limits.ts'
import { OVERLOADED, PetstoreError } from '../../domain/petstore-error.ts'
import { atTurnEnd, monotonicMs, startInterval, stopTimer, type Timer, watchSize } from '../../system/runtime.ts'
import type { Context } from '../context.ts'

/**
 * After this time, a turn of the event loop admits no more requests: the remaining ones have waited at least as long.
 */
const TURN_MS_MAX = 250
/** A slow turn with fewer requests is a pause of the machine, not overload. */
const TURN_REQUESTS_MIN = 64

/**
 * Sheds load: if the service has more requests than it can answer in bounded time, it rejects new ones. That costs a
 * fraction of answering, and a quick 503 with Retry-After is better than a late response.
 *
 * Requests that wait in sockets need no limit: each connection has at most one request in the service (Bun reads the
 * next one after writing the response), and one turn of the event loop serves at most 1024 connections.
 */
export class Admission {
  private waiting = 0
  private turnStartedAt = 0
  private turnRequests = 0

  constructor(private readonly requestsMax = LIMITS.requestsMax) {
    watchSize('requests that wait for the store', () => this.waiting)
  }

  /** Call this first for each request. Throws OVERLOADED. */
  check(): void {
    if (this.waiting >= this.requestsMax || this.turnIsLong()) throw OVERLOADED
  }

  /** Call this before a store call, and `leave` after it. */
  enter(): void {
    this.waiting++
  }

  leave(): void {
    this.waiting--
  }

  private turnIsLong(): boolean {
    if (this.turnRequests++ === 0) {
      this.turnStartedAt = monotonicMs()
      atTurnEnd(() => {
        this.turnRequests = 0
      })
    }
    return this.turnRequests > TURN_REQUESTS_MIN && monotonicMs() - this.turnStartedAt > TURN_MS_MAX
  }
}

/** Time is counted in ticks, so that a pause of the whole process does not count. */
const LOOK_EVERY_MS = 1_000
const WORKED_SECONDS_MAX = 30

const TOO_LONG = new PetstoreError('unavailable', 'The service could not answer in time. Try again.')

interface Work {
  readonly context: Context
  /** The index in `running`. */
  index: number
  /** The ticks since the request arrived, except while it waited for events. */
  worked: number
  end(response: Response | Promise<Response>): void
}

/**
 * Limits the time to process a request; after it, the caller gets 503. Together with the longest wait for events, the
 * limit is shorter than the runtime's limit of the connection (connections.ts).
 */
export class WorkTime {
  /** Unordered. A Set would cost 2 µs per request, a tenth of a create. */
  private readonly running: Work[] = []
  private timer: Timer | undefined

  constructor(
    private readonly fail: (error: PetstoreError, context: Context) => Response | Promise<Response>,
    private readonly secondsMax = WORKED_SECONDS_MAX,
  ) {
    watchSize('requests in flight', () => this.running.length)
  }

  /** Resolves with the answer, or with the response to a timeout error. The work continues after a timeout. */
  within(answer: Promise<Response>, context: Context): Promise<Response> {
    return new Promise((resolve) => {
      const work: Work = {
        context,
        index: this.running.length,
        worked: 0,
        end: (response) => {
          this.remove(work)
          resolve(response)
        },
      }
      this.running.push(work)
      this.timer ??= startInterval(() => this.endLateWork(), LOOK_EVERY_MS)
      void answer.then(work.end)
    })
  }

  private remove(work: Work): void {
    const { running } = this
    // Already answered.
    if (running[work.index] !== work) return
    const last = running.pop() as Work
    if (last !== work) {
      running[work.index] = last
      last.index = work.index
    }
  }

  private endLateWork(): void {
    if (this.running.length === 0) {
      stopTimer(this.timer)
      this.timer = undefined
    }
    for (const work of [...this.running]) {
      if (!work.context.waits && ++work.worked > this.secondsMax) work.end(this.fail(TOO_LONG, work.context))
    }
  }
}
