// Load shedding. If the service has more requests than it can answer in bounded time, it refuses new ones, which
// costs a fraction of answering: a quick 503 with Retry-After is better than a late response.
//
// Requests that wait in sockets need no limit: each connection has at most one request in the service (Bun reads the
// next one after writing the response), and one turn of the event loop serves at most 1024 connections.

import { LIMITS } from '../../domain/limits.ts'
import { OVERLOADED } from '../../domain/petstore-error.ts'
import { atTurnEnd, monotonicMs, watchSize } from '../../system/runtime.ts'

/**
 * After this time, a turn of the event loop admits no more requests: the remaining ones have waited at least as long.
 */
const TURN_MS_MAX = 250
/** A slow turn with fewer requests is a pause of the machine, not overload. */
const TURN_REQUESTS_MIN = 64

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
