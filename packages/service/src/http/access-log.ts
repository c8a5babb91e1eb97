// The access log: one line for each response, or only for errors.

import type { ClientAddress } from '../observability/client-address.ts'
import type { AccessLogKind, Log } from '../observability/log.ts'
import { monotonicMs, startTimer, stopTimer, type Timer } from '../system/runtime.ts'
import type { Context } from './context.ts'
import type { Answer } from './response/response.ts'

/** With `errors`: the most lines per status and second. */
const LINES_PER_SECOND = 10
const COUNT_EVERY_MS = 60_000
const PATH_MAX = 200
/** A path can contain a key by mistake. Paths are logged only until it. */
const KEY = /pets_(?:live|test)_/

export class AccessLog {
  private second = 0
  /** By status: the lines of this second, and the responses since the last count that have no line. */
  private readonly lines = new Map<number, number>()
  private readonly unlogged = new Map<number, number>()
  private counting: Timer | undefined

  constructor(
    private readonly log: Log,
    private readonly kind: AccessLogKind,
    private readonly addressOf: ClientAddress,
  ) {}

  /** Call this right before giving a response to the runtime. Adds `X-Request-Id` to a response that is logged. */
  readonly responded = ({ body }: Answer, response: Response, context: Context): void => {
    const { status } = response
    if (this.kind === 'errors' && (status < 400 || !this.admits(status))) return
    const { request, operation, code, caller } = context
    if (context.requestId === undefined) response.headers.set('X-Request-Id', context.ensureRequestId())
    const { requestId } = context
    const { traceId } = context.trace()
    const durationMs = Math.round((monotonicMs() - context.startedAt) * 1000) / 1000
    const sent = status !== 304 && request.method !== 'HEAD' ? body : null
    const bytes = typeof sent === 'string' ? Buffer.byteLength(sent) : (sent?.size ?? 0)
    const [path, keyId, client] = [pathOf(request.url), caller && String(caller.id), this.addressOf(request)]
    const { method } = request
    this.log.info(
      { method, operation, path, status, code, durationMs, bytes, keyId, client, requestId, traceId },
      'request',
    )
  }

  private admits(status: number): boolean {
    const second = Math.floor(monotonicMs() / 1000)
    if (second !== this.second) this.lines.clear()
    this.second = second
    const lines = (this.lines.get(status) ?? 0) + 1
    this.lines.set(status, lines)
    if (lines <= LINES_PER_SECOND) return true
    this.unlogged.set(status, (this.unlogged.get(status) ?? 0) + 1)
    this.counting ??= startTimer(this.count, COUNT_EVERY_MS).unref()
    return false
  }

  /** Logs how many responses have no line, by status. Call this after the last response, too. */
  readonly count = (): void => {
    stopTimer(this.counting)
    this.counting = undefined
    if (this.unlogged.size > 0)
      this.log.info({ statuses: Object.fromEntries(this.unlogged) }, 'requests without a line')
    this.unlogged.clear()
  }
}

function pathOf(url: string): string {
  // With an invalid Host, the runtime passes only the target.
  const start = Math.max(0, url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2))
  const end = url.indexOf('?', start)
  const path = url.slice(start, Math.min(start + PATH_MAX, end < 0 ? url.length : end))
  const key = path.search(KEY)
  return key < 0 ? path : `${path.slice(0, key)}…`
}
