// Logs changes and failures, measures and logs responses, and saves when keys were used and how often deprecated
// operations were called. Both are counted in memory and saved every few seconds, so that requests need no write.

import type { OperationId } from '../../../contract/src/contract.ts'
import { endingOf, type KeyId } from '../domain/keys.ts'
import { OVERLOADED, type PetstoreError } from '../domain/petstore-error.ts'
import type { Store } from '../domain/store.ts'
import { type ClientAddress, clientAddress } from '../observability/client-address.ts'
import type { AccessLogKind, Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { monotonicMs, startInterval, startTimer, stopTimer, type Timer } from '../system/runtime.ts'
import type { Context } from './context.ts'
import { type Answer, isServerFailure } from './response/response.ts'

const REPORT_EVERY_MS = 5_000
/** The last use of a key is saved at most once in this time. */
const KEY_USE_EVERY_MS = 60_000
/** The limit of kinds of failures. Further failures are grouped by code. */
const KINDS_MAX = 100

export interface ReportOptions {
  readonly store: Store
  readonly log: Log
  readonly metrics?: Metrics | undefined
}

export class Reports {
  private readonly failures: FailureLog
  private readonly keyUses = new Counts<{ keyId: KeyId; ending: string }>(KEY_USE_EVERY_MS)
  private readonly deprecatedCalls = new Counts<{ keyId: KeyId; operationId: string }>()
  /** Requests rejected because of overload since the last report. */
  private shed = 0
  private readonly reporting = startInterval(() => this.report(), REPORT_EVERY_MS)

  constructor(private readonly options: ReportOptions) {
    this.failures = new FailureLog(options.log)
    options.metrics?.watch({ deprecatedCalls: () => this.deprecatedCalls.all() })
  }

  keyUsed(keyId: KeyId, token: string, at: number): void {
    this.keyUses.add(keyId, () => ({ keyId, ending: endingOf(token) }), at)
  }

  deprecatedCall(keyId: KeyId, operationId: OperationId, at: number): void {
    this.deprecatedCalls.add(`${operationId} ${keyId}`, () => ({ keyId, operationId }), at)
  }

  /** `operation`: the operationId, or the name of a change outside the contract. */
  changed(operation: string, logged: Record<string, string>, context: Context): void {
    const requestId = context.ensureRequestId()
    this.options.log.change({ requestId, ...context.trace(), keyId: String(context.caller?.id), ...logged }, operation)
  }

  failed(error: PetstoreError, context: Context): void {
    if (error === OVERLOADED) this.shed++
    else if (isServerFailure(error)) {
      this.failures.add(error, () => ({ requestId: context.ensureRequestId(), ...context.trace() }))
    }
  }

  /** Call this after the last response. */
  async close(): Promise<void> {
    stopTimer(this.reporting)
    await this.report(true)
  }

  /** Logs the counts since the last report. Saves last uses of keys and counts of deprecated calls. */
  private async report(last = false): Promise<void> {
    const { store, log } = this.options
    this.failures.report()
    if (this.shed > 0) log.warn({ shed: this.shed }, 'overloaded')
    this.shed = 0
    const saveUses = this.keyUses.save(
      (uses) => store.saveKeyUses(uses.map(({ lastAt: at, keyId, ending }) => ({ keyId, ending, at }))),
      last,
    )
    const saveCalls = this.deprecatedCalls.save((calls) => store.countDeprecatedCalls(calls))
    await Promise.all([
      this.warnIfUnsaved('when keys were last used', saveUses),
      this.warnIfUnsaved('the tally of deprecated calls', saveCalls),
    ])
  }

  private async warnIfUnsaved(what: string, saving: Promise<void>): Promise<void> {
    try {
      await saving
    } catch (error) {
      this.options.log.warn({ err: error }, `could not save ${what}; will retry`)
    }
  }
}

interface Count {
  readonly calls: number
  /** Milliseconds since 1970. */
  readonly lastAt: number
}

/** Counts requests by name in memory, and saves the counts now and then. */
export class Counts<Of extends object> {
  private readonly counts = new Map<unknown, { of: Of; calls: number; lastAt: number; saved: number; dueAt: number }>()

  /** `everyMs`: the least time between two saves of one count. */
  constructor(private readonly everyMs = 0) {}

  add(name: unknown, of: () => Of, at: number): void {
    const count = this.counts.get(name)
    if (count) {
      count.calls++
      count.lastAt = Math.max(count.lastAt, at)
    } else this.counts.set(name, { of: of(), calls: 1, lastAt: at, saved: 0, dueAt: 0 })
  }

  /** Returns the counts since the start. */
  all(): Iterable<Of & Count> {
    return this.counts.values().map(({ of, calls, lastAt }) => ({ ...of, calls, lastAt }))
  }

  /**
   * Calls `write` with the requests since the last save, if any count is due. `all` includes counts that are not due.
   * If `write` rejects, rejects too, and the next save includes these requests.
   */
  async save(write: (counts: readonly (Of & Count)[]) => Promise<void>, all = false): Promise<void> {
    const now = monotonicMs()
    const due = [...this.counts.values()].filter(({ calls, saved, dueAt }) => calls > saved && (all || now >= dueAt))
    if (due.length === 0) return
    const unsaved = due.map(({ of, calls, saved, lastAt }) => ({ ...of, calls: calls - saved, lastAt }))
    for (const count of due) {
      count.saved = count.calls
      count.dueAt = now + this.everyMs
    }
    try {
      await write(unsaved)
    } catch (error) {
      due.forEach((count, n) => {
        count.saved -= unsaved[n]?.calls ?? 0
      })
      throw error
    }
  }
}

/**
 * Logs each kind of failure once with its stack, and then how often it repeats. If the store is unreachable, thousands
 * of requests a second can fail for the same reason, and logging each stack would fill the disk.
 */
export class FailureLog {
  /** `failures`: since the last report, without the first failure. */
  private readonly kinds = new Map<string, { code: string; message: string; failures: number }>()

  constructor(private readonly log: Log) {}

  /** `request` returns the log fields that identify the request. */
  add(error: PetstoreError, request: () => Record<string, unknown>): void {
    const { code, cause: thrown = error } = error
    const { message = String(thrown), stack = '' } = thrown instanceof Error ? thrown : {}
    // The first line of the stack distinguishes faults with the same message. The other lines can differ between
    // requests.
    const place = stack.split('\n').find((line) => line.trimStart().startsWith('at '))
    let name = `${code} ${message} ${place}`
    if (this.kinds.size >= KINDS_MAX && !this.kinds.has(name)) name = code
    const known = this.kinds.get(name)
    if (known) {
      known.failures++
      return
    }
    this.kinds.set(name, { code, message, failures: 0 })
    this.log.error({ ...request(), code, err: thrown }, 'failed')
  }

  /** Logs the kinds that failed again, and forgets the others, so that their next failure is logged in full. */
  report(): void {
    for (const [name, { code, message, failures }] of this.kinds) {
      if (failures === 0) this.kinds.delete(name)
      else {
        this.log.error({ code, failures, reason: message }, 'failed again')
        this.kinds.set(name, { code, message, failures: 0 })
      }
    }
  }
}

/** With `errors`: the most lines per status and second. */
const LINES_PER_SECOND = 10
const COUNT_EVERY_MS = 60_000
const PATH_MAX = 200
/** A path can contain a key by mistake. Paths are logged only until it. */
const KEY = /pets_(?:live|test)_/
/** The most addresses per minute. Requests from others are counted together. */
const ADDRESSES_MAX = 100
const OTHERS = 'other addresses'

export interface ObserverOptions {
  readonly log: Log
  readonly metrics?: Metrics | undefined
  /** Default: `off`. */
  readonly accessLog?: AccessLogKind
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[]
}

/** Measures and logs the responses of a server, and counts invalid API keys. */
export class Observers {
  private readonly addressOf: ClientAddress
  /** Shows who guesses keys or uses a revoked one. */
  private invalidKeys = 0
  private readonly addresses = new MinuteCounts<string>((requests) => {
    for (const [client, count] of requests) this.options.log.warn({ client, requests: count }, 'invalid API keys')
  })
  private readonly unlogged = new MinuteCounts<number>((statuses) =>
    this.options.log.info({ statuses: Object.fromEntries(statuses) }, 'requests without a line'),
  )
  private readonly admits = limiter(LINES_PER_SECOND)

  constructor(
    private readonly options: ObserverOptions,
    server: () => Pick<Bun.Server<undefined>, 'requestIP'>,
  ) {
    this.addressOf = clientAddress(options.trustedProxies ?? [], (request) => server().requestIP(request))
    options.metrics?.watch({ invalidKeys: () => this.invalidKeys })
  }

  /**
   * Call this right before a response is given to the runtime. The status of `response` can differ from the answer's
   * (304).
   */
  observe(answer: Answer, response: Response, context: Context): void {
    const { metrics, accessLog } = this.options
    const { status } = response
    metrics?.request(context.label, status, (monotonicMs() - context.startedAt) / 1000)
    if (accessLog === 'all' || (accessLog === 'errors' && status >= 400)) {
      if (accessLog === 'all' || this.admits(status)) this.log(answer, response, context)
      else this.unlogged.add(status)
    }
    if (context.code !== 'invalid_api_key') return
    this.invalidKeys++
    const client = this.addressOf(context.request) ?? OTHERS
    const { counts } = this.addresses
    this.addresses.add(counts.has(client) || counts.size < ADDRESSES_MAX ? client : OTHERS)
  }

  /** Call this after the last response. */
  close(): void {
    this.unlogged.log()
    this.addresses.log()
  }

  /** Logs the line of a response, which gets `X-Request-Id`. */
  private log({ body }: Answer, { status, headers }: Response, context: Context): void {
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
      client: this.addressOf(request),
      requestId,
      traceId: context.trace().traceId,
    }
    this.options.log.info(line, 'request')
  }
}

function pathOf(url: string): string {
  // If Host is invalid, the runtime passes only the target.
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
