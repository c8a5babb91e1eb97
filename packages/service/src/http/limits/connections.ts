// How long a connection may be idle or stall. The runtime has one timer for each connection. It restarts the timer for each request and each
// piece of a response, with the time that the connection may be idle. This file shortens the time while a client sends or reads slowly.

import { atTurnEnd, endOfTurn, startTimer } from '../../system/runtime.ts'

/**
 * How long a connection may be idle after a response. Load balancers close theirs after 60 s; if the service closed one first, a request in flight
 * would be lost. Bun checks every 4 s. Until the first request, its own limit of 10 s applies.
 */
export const IDLE_SECONDS = 75
/** How long nothing may arrive of a body, or be read of a response. */
const STALLED_SECONDS = 10
/** By then, a client that reads has read what did not fit into the system's buffers. */
const UNREAD_AFTER_MS = 2_000
/** A body up to this length may arrive together with its headers. */
const AT_ONCE_BYTES_MAX = 1024 * 1024

type Runtime = Pick<Bun.Server<undefined>, 'timeout' | 'requestIP'>

export class Connections {
  private responded: Request[] = []

  constructor(
    private readonly runtime: () => Runtime,
    private readonly idleSeconds = IDLE_SECONDS,
  ) {}

  /** Call it when a body does not arrive at once, and when it has arrived. */
  limit(request: Request, stalls: boolean): void {
    this.runtime().timeout(request, stalls ? STALLED_SECONDS : this.idleSeconds)
  }

  /** Call it right before the response is given to the runtime. */
  responding(request: Request): void {
    if (this.responded.push(request) === 1) atTurnEnd(() => this.lookForUnread())
  }

  private lookForUnread(): void {
    const runtime = this.runtime()
    // The runtime has an address only for a request whose response is not sent yet.
    const unsent = this.responded.filter((request) => runtime.requestIP(request) !== null)
    this.responded = []
    if (unsent.length === 0) return
    startTimer(() => {
      for (const request of unsent) runtime.timeout(request, STALLED_SECONDS)
    }, UNREAD_AFTER_MS)
  }

  /**
   * Call it before a response that does not depend on the request's body, such as a refusal: the body may still be arriving. The runtime may have
   * the response when the promise resolves; without a promise, at once.
   */
  ignoringBody(request: Request): Promise<void> | undefined {
    const { method, headers } = request
    // A GET's body has no meaning (RFC 9110, 9.3.1), and the runtime skips it.
    if (method === 'GET' || method === 'HEAD' || request.bodyUsed) return undefined
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
    this.limit(request, true)
  }
}
