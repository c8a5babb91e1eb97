// Who is let in. Past what can be answered in bounded time, requests are refused at once, at a fraction of the cost of
// answering them: a client that is told to come back is better off than one whose answer comes too late.
//
// What waits unseen in the sockets needs no bound of ours: each connection has one request at a time in here (Bun reads the next
// one when the answer has been written), and one turn of the event loop serves at most 1024 of them.

import { OVERLOADED } from '../../domain/errors.ts'

/** Requests that may wait for the store at once. */
const WAITING_MAX = 4096
/** A turn of the event loop that has taken this long admits no more: who comes now has waited as long, or longer. */
const TURN_MS_MAX = 250
/** A turn that is slow with fewer requests is a machine's pause, not an overload. */
const TURN_REQUESTS_MIN = 64

export class Admission {
  private waiting = 0
  private turnStartedAt = 0
  private turnRequests = 0

  /** At a request's beginning. Throws OVERLOADED. */
  check(): void {
    if (this.waiting >= WAITING_MAX || this.turnIsLong()) throw OVERLOADED
  }

  /** Before it asks the store; whoever enters has to `leave`. */
  enter(): void {
    this.waiting++
  }

  leave(): void {
    this.waiting--
  }

  private turnIsLong(): boolean {
    if (this.turnRequests++ === 0) {
      this.turnStartedAt = performance.now()
      setImmediate(() => {
        this.turnRequests = 0
      })
    }
    return this.turnRequests > TURN_REQUESTS_MIN && performance.now() - this.turnStartedAt > TURN_MS_MAX
  }
}
