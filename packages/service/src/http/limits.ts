// The limits of a process and its clients: how many requests it accepts and how long it works on each, how many each
// API key can send, and how long a connection can be idle or stall.

import type { KeyId } from '../domain/keys.ts'
import { LIMITS, type Rate } from '../domain/limits.ts'
import { OVERLOADED, PetstoreError } from '../domain/petstore-error.ts'
import {
  atTurnEnd,
  endOfTurn,
  monotonicMs,
  startInterval,
  startTimer,
  stopTimer,
  type Timer,
  watchSize,
} from '../system/runtime.ts'
import type { Context } from './context.ts'

/**
 * After this time, a turn of the event loop admits no more requests: the remaining ones have waited at least as long.
 */
const TURN_MS_MAX = 250
/** A slow turn with fewer requests is a pause of the machine, not overload. */
const TURN_REQUESTS_MIN = 64

/**
 * Sheds load: if the service has more requests than it can handle in bounded time, it rejects new ones. That costs a
 * fraction of the work, and a quick 503 with Retry-After is better than a late response.
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
 * limit is shorter than the runtime's limit of the connection (`Connections`).
 */
export class WorkTime {
  /** Unordered. A Set would cost 2 µs per request, a tenth of a create. */
  private readonly running: Work[] = []
  private timer: Timer | undefined

  constructor(private readonly fail: (error: PetstoreError, context: Context) => Response | Promise<Response>) {
    watchSize('requests in flight', () => this.running.length)
  }

  /** Resolves with the response, or with the response to a timeout error. The work continues after a timeout. */
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
    // It already has a response.
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
      if (!work.context.waits && ++work.worked > WORKED_SECONDS_MAX) work.end(this.fail(TOO_LONG, work.context))
    }
  }
}

// The rate limit: a token bucket per API key, and the response headers with the remaining requests and the time until
// the next one (draft-ietf-httpapi-ratelimit-headers-10). The buckets are in memory, so each process limits on its
// own.

interface Bucket {
  tokens: number
  /** Milliseconds since 1970. */
  filledAt: number
}

export class RateLimit {
  private readonly buckets = new Map<KeyId, Bucket>()
  /** The buckets of requests in progress. */
  private readonly counted = new WeakMap<Context, Bucket>()
  private readonly tokensPerMs: number

  constructor(private readonly rate: Rate) {
    this.tokensPerMs = rate.requests / (rate.periodSeconds * 1000)
  }

  /** Throws `rate_limited` if the key's bucket is empty. */
  take(context: Context): void {
    const bucket = this.filled(context)
    this.counted.set(context, bucket)
    if (bucket.tokens < 1) {
      const { requests, periodSeconds } = this.rate
      const allowed = `${requests} requests ${periodSeconds === 1 ? 'per second' : `every ${periodSeconds} seconds`}`
      throw new PetstoreError('rate_limited', `This API key may send ${allowed}. Retry-After says when to try again.`)
    }
    bucket.tokens--
  }

  /** Adds the rate limit headers to the response of a counted request. */
  addHeaders({ status, headers }: Response, context: Context): void {
    const bucket = this.counted.get(context)
    if (!bucket) return
    const { requests, periodSeconds } = this.rate
    const left = Math.floor(bucket.tokens)
    const nextInSeconds = Math.ceil((left + 1 - bucket.tokens) / this.tokensPerMs / 1000)
    headers.set('RateLimit-Policy', `"key";q=${requests};w=${periodSeconds}`)
    headers.set('RateLimit', `"key";r=${left};t=${nextInSeconds}`)
    if (status === 429) headers.set('Retry-After', String(nextInSeconds))
  }

  private filled({ caller, now }: Context): Bucket {
    const full = () => ({ tokens: this.rate.requests, filledAt: now })
    const bucket = this.buckets.getOrInsertComputed(caller?.id ?? 0n, full)
    // If the clock was moved back, add nothing.
    const added = Math.max(0, now - bucket.filledAt) * this.tokensPerMs
    bucket.tokens = Math.min(this.rate.requests, bucket.tokens + added)
    bucket.filledAt = now
    return bucket
  }
}

// The runtime has one timer per connection and restarts it, with
// the idle limit, for each request and each piece of a response. `Connections` sets a shorter limit while a client sends
// or reads slowly.

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

  constructor(private readonly runtime: () => Runtime) {}

  /** Call this with `arriving` if a body does not arrive immediately, and without it when the body has arrived. */
  expectBody(request: Request, arriving: boolean): void {
    this.runtime().timeout(request, arriving ? STALLED_SECONDS : IDLE_SECONDS)
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
   * Call this before a response that does not depend on the body, such as a rejection, because the body may still be
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

/**
 * Allows one request at a time for each `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The store
 * remembers finished requests, for all servers and across restarts; this class knows only the requests in progress in
 * this process.
 */
export class RunningKeys {
  private readonly running = new Set<string>()

  constructor() {
    watchSize('idempotency keys in flight', () => this.running.size)
  }

  /**
   * Runs `work` with the header's key, if there is one. Rejects with `idempotency_in_flight` while another request
   * with the key is running.
   */
  async runAlone<Result>(by: KeyId, header: string | undefined, work: (key?: string) => Promise<Result>) {
    if (header === undefined) return work()
    // Without the quotes and escapes of an RFC 8941 string (3.3.3). A key without quotes stays unchanged.
    const key = header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(.)/g, '$1') : header
    const name = `${by} ${key}`
    if (this.running.has(name)) {
      throw new PetstoreError(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still in progress. Send it again to get its response.',
      )
    }
    this.running.add(name)
    try {
      return await work(key)
    } finally {
      this.running.delete(name)
    }
  }
}
