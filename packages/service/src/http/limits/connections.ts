// Limits how long a connection can be idle or stall. The runtime has one timer per connection and restarts it, with
// the idle limit, for each request and each piece of a response. This file sets a shorter limit while a client sends
// or reads slowly.

import { atTurnEnd, endOfTurn, startTimer } from '../../system/runtime.ts'

/**
 * The idle limit after a response. Load balancers close idle connections after 60 s; if the service closed one first,
 * a request in flight would be lost. Bun checks its timers every 4 s. Until the first request,
 * Bun's own limit of 10 s applies.
 */
export const IDLE_SECONDS = 75
/** The limit for a body that stops arriving, or a response that is not read. */
const STALLED_SECONDS = 10
/** After this time, a client that reads has taken everything that did not fit into the system's buffers. */
const UNREAD_AFTER_MS = 2_000
/** A body up to this length can arrive together with its headers. */
const AT_ONCE_BYTES_MAX = 1024 * 1024

type Runtime = Pick<Bun.Server<undefined>, 'timeout' | 'requestIP'>

export class Connections {
  private responded: Request[] = []

  constructor(
    private readonly runtime: () => Runtime,
    private readonly idleSeconds = IDLE_SECONDS,
  ) {}

  /** Call this with `arriving` if a body does not arrive immediately, and without it when the body has arrived. */
  expectBody(request: Request, arriving: boolean): void {
    this.runtime().timeout(request, arriving ? STALLED_SECONDS : this.idleSeconds)
  }

  /** Call this right before giving a response to the runtime. */
  beforeResponse(request: Request): void {
    if (this.responded.push(request) === 1) atTurnEnd(() => this.limitUnread())
  }

  private limitUnread(): void {
    const runtime = this.runtime()
    // The runtime knows the address only until the response is sent.
    const unsent = this.responded.filter((request) => runtime.requestIP(request) !== null)
    this.responded = []
    if (unsent.length === 0) return
    startTimer(() => {
      for (const request of unsent) runtime.timeout(request, STALLED_SECONDS)
    }, UNREAD_AFTER_MS)
  }

  /**
   * Call this before a response that does not depend on the body, such as a refusal, because the body may still be
   * arriving. If it returns a promise, wait for it before giving the response to the runtime.
   */
  beforeIgnoringBody(request: Request): Promise<void> | undefined {
    const { method } = request
    // The body of a GET has no meaning (RFC 9110, 9.3.1), and the runtime skips it.
    if (method === 'GET' || method === 'HEAD' || request.bodyUsed) return undefined
    const { headers } = request
    const length = Number(headers.get('Content-Length'))
    return length > 0 || headers.has('Transfer-Encoding') ? this.limitUnlessArrived(request, length) : undefined
  }

  private async limitUnlessArrived(request: Request, length: number): Promise<void> {
    if (length <= AT_ONCE_BYTES_MAX) {
      await endOfTurn()
      const body = request.bytes()
      body.catch(() => undefined)
      if (Bun.peek.status(body) === 'fulfilled') return
    }
    this.expectBody(request, true)
  }
}
