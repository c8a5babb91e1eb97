// What observes the responses of a server: its metrics, the access log, and the count of invalid API keys.

import { type ClientAddress, clientAddress } from '../observability/client-address.ts'
import type { AccessLogKind, Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { monotonicMs, startTimer, stopTimer, type Timer } from '../system/runtime.ts'
import type { Context } from './context.ts'
import type { Answer } from './response/response.ts'

/** With `errors`: the most lines per status and second. */
const LINES_PER_SECOND = 10
const COUNT_EVERY_MS = 60_000
const PATH_MAX = 200
/** A path can contain a key by mistake. Paths are logged only until it. */
const KEY = /pets_(?:live|test)_/
/** The most addresses per minute. Requests from others are counted together. */
const ADDRESSES_MAX = 100
const OTHERS = 'other addresses'

/**
 * Is called right before a response is given to the runtime. The status of `response` can differ from the answer's
 * (304).
 */
export type Observer = (answer: Answer, response: Response, context: Context) => void

export interface ObserverOptions {
  readonly log: Log
  readonly metrics?: Metrics | undefined
  /** Default: `off`. */
  readonly accessLog?: AccessLogKind
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[]
}

interface Observers {
  readonly all: readonly Observer[]
  /** Call this after the last response. */
  close(): void
}

export function observersOf(
  { log, metrics, accessLog = 'off', trustedProxies = [] }: ObserverOptions,
  server: () => Pick<Bun.Server<undefined>, 'requestIP'>,
): Observers {
  const addressOf = clientAddress(trustedProxies, (request) => server().requestIP(request))
  const all: Observer[] = []
  if (metrics) {
    all.push((_, { status }, { label, startedAt }) =>
      metrics.request(label, status, (monotonicMs() - startedAt) / 1000),
    )
  }
  // Shows who guesses keys or uses a revoked one.
  let invalidKeys = 0
  metrics?.watch({ invalidKeys: () => invalidKeys })
  const addresses = new MinuteCounts<string>((requests) => {
    for (const [client, count] of requests) log.warn({ client, requests: count }, 'invalid API keys')
  })
  const unlogged = new MinuteCounts<number>((statuses) =>
    log.info({ statuses: Object.fromEntries(statuses) }, 'requests without a line'),
  )
  if (accessLog === 'all') all.push((...response) => logResponse(log, addressOf, ...response))
  if (accessLog === 'errors') {
    const admits = limiter(LINES_PER_SECOND)
    all.push((answer, response, context) => {
      const { status } = response
      if (status < 400) return
      if (admits(status)) logResponse(log, addressOf, answer, response, context)
      else unlogged.add(status)
    })
  }
  all.push((_, _response, { code, request }) => {
    if (code !== 'invalid_api_key') return
    invalidKeys++
    const client = addressOf(request) ?? OTHERS
    addresses.add(addresses.counts.has(client) || addresses.counts.size < ADDRESSES_MAX ? client : OTHERS)
  })
  return {
    all,
    close() {
      unlogged.log()
      addresses.log()
    },
  }
}

/** Logs the line of a response, which gets `X-Request-Id`. */
function logResponse(
  log: Log,
  addressOf: ClientAddress,
  { body }: Answer,
  { status, headers }: Response,
  context: Context,
): void {
  const { request, operation, code, caller } = context
  const { method } = request
  const requestId = context.ensureRequestId()
  headers.set('X-Request-Id', requestId)
  const sent = status !== 304 && method !== 'HEAD' ? body : null
  const line = {
    method,
    operation,
    path: pathOf(request.url),
    status,
    code,
    durationMs: Math.round((monotonicMs() - context.startedAt) * 1000) / 1000,
    bytes: typeof sent === 'string' ? Buffer.byteLength(sent) : (sent?.size ?? 0),
    keyId: caller && String(caller.id),
    client: addressOf(request),
    requestId,
    traceId: context.trace().traceId,
  }
  log.info(line, 'request')
}

function pathOf(url: string): string {
  // With an invalid Host, the runtime passes only the target.
  const start = Math.max(0, url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2))
  const end = url.indexOf('?', start)
  const path = url.slice(start, Math.min(start + PATH_MAX, end < 0 ? url.length : end))
  const key = path.search(KEY)
  return key < 0 ? path : `${path.slice(0, key)}…`
}

/** Returns a function that is true at most `perSecond` times a second for each status. */
function limiter(perSecond: number): (status: number) => boolean {
  let second = 0
  const lines = new Map<number, number>()
  return (status) => {
    const now = Math.floor(monotonicMs() / 1000)
    if (now !== second) lines.clear()
    second = now
    const count = (lines.get(status) ?? 0) + 1
    lines.set(status, count)
    return count <= perSecond
  }
}

/** Counts responses by name, and gives the counts to `logCounts` after a minute. */
class MinuteCounts<Name> {
  readonly counts = new Map<Name, number>()
  private timer: Timer | undefined

  constructor(private readonly logCounts: (counts: ReadonlyMap<Name, number>) => void) {}

  add(name: Name): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    this.timer ??= startTimer(() => this.log(), COUNT_EVERY_MS).unref()
  }

  /** Call this after the last response, too. */
  log(): void {
    stopTimer(this.timer)
    this.timer = undefined
    if (this.counts.size > 0) this.logCounts(this.counts)
    this.counts.clear()
  }
}
