// Load shedding. When the service has more requests than it can answer in bounded time, it refuses new ones at once, which costs
// a fraction of answering them: a quick 503 with Retry-After is better than a response that comes too late.
//
// Requests that wait in the sockets need no limit here: each connection has at most one request in the service (Bun reads the next
// one after the response is written), and one turn of the event loop serves at most 1024 connections.

import { OVERLOADED } from '../../domain/petstore-error.ts'
import { atTurnEnd, monotonicMs } from '../../system/runtime.ts'

/** How many requests may wait for the store at once. */
const WAITING_MAX = 4096
/** After this long, a turn of the event loop admits no more requests: those that remain have waited at least as long. */
const TURN_MS_MAX = 250
/** A slow turn with fewer requests is a pause of the machine, not an overload. */
const TURN_REQUESTS_MIN = 64

export class Admission {
  private waiting = 0
  private turnStartedAt = 0
  private turnRequests = 0

  /** Call it first for each request. Throws OVERLOADED. */
  check(): void {
    if (this.waiting >= WAITING_MAX || this.turnIsLong()) throw OVERLOADED
  }

  /** Call it before the store is called, and `leave` after. */
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
