// Where the client sends its requests, and with which API key. The key stays in the object: the client never logs it,
// stores it or puts it in a message.

import { type Fetch, type Received, sendRequest } from './retries.ts'

export interface PetstoreClientOptions {
  /** The service's address, ending in `/v1`; in a browser it may be relative. */
  baseUrl: string
  apiKey: string
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** For each attempt, until the last byte of its response. Default: 10 000. */
  timeoutMs?: number | undefined
  /** How many attempts may follow the first when a request fails for a temporary reason. Default: 2. */
  retries?: number | undefined
  /** Aborts every call of this client, and refuses later ones; each rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called before each pause after which a request is sent again. */
  onRetry?: ((reason: Error, pauseMs: number) => void) | undefined
  /** Called once for each deprecated operation that is used. */
  onDeprecated?: ((notice: Deprecation) => void) | undefined
}

export interface Deprecation {
  operationId: string
  since: Date | undefined
  removal: Date | undefined
}

export interface CallOptions {
  /** Aborts the call and its retries; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Instead of the client's `retries`. */
  retries?: number | undefined
}

export interface SendOptions extends CallOptions {
  /** How long the service may wait before it answers, in addition to `timeoutMs`. */
  waitMs?: number | undefined
  /** Instead of 30 000: see RequestOptions. */
  retryAfterMaxMs?: number | undefined
}

/** Responses that are kept for the next time that they are asked for. */
const KEPT_MAX = 20

export class Sender {
  readonly #options: PetstoreClientOptions
  /** By path; the one that was used last is the last. */
  readonly #kept = new Map<string, Received>()
  readonly #reported = new Set<string>()

  /** Throws TypeError when `baseUrl` or `apiKey` cannot work. */
  constructor(options: PetstoreClientOptions) {
    const baseUrl = required(options.baseUrl, 'baseUrl').replace(/\/+$/, '')
    if (!/^[^?#]*\/v1$/.test(baseUrl)) {
      throw new TypeError(`baseUrl must end in /v1, but is ${baseUrl}.`)
    }
    // Checked here because the message of `fetch` would contain the key.
    if (!/^[\x21-\x7e]+$/.test(required(options.apiKey, 'apiKey'))) {
      throw new TypeError('apiKey must be printable ASCII without spaces.')
    }
    this.#options = { ...options, baseUrl }
  }

  /** `init.headers` is a plain object. Rejects as `sendRequest`. */
  async send(operationId: string, path: string, init: RequestInit, call: SendOptions): Promise<Received> {
    const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 10_000, retries = 2, onRetry } = this.#options
    const signals = [this.#options.signal, call.signal].filter((one) => one !== undefined)
    const kept = init.method === undefined ? this.#kept.get(path) : undefined
    const tag = kept?.response.headers.get('ETag')
    const received = await sendRequest(
      baseUrl,
      path,
      {
        ...init,
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${apiKey}`,
          ...(tag && { 'If-None-Match': tag }),
          ...init.headers,
        },
        // The service never redirects, and the key must not go anywhere else.
        redirect: 'error',
        credentials: 'omit',
      },
      {
        ...call,
        fetch,
        timeoutMs: timeoutMs + (call.waitMs ?? 0),
        retries: call.retries ?? retries,
        signal: AbortSignal.any(signals),
        onRetry,
      },
    )
    this.#noteDeprecation(operationId, received.response.headers)
    const current = kept && received.response.status === 304 ? { ...kept, attempts: received.attempts } : received
    if (init.method === undefined) this.#keep(path, current)
    return current
  }

  #keep(path: string, received: Received): void {
    if (!received.response.headers.has('ETag')) return
    this.#kept.delete(path)
    this.#kept.set(path, received)
    const [oldest = path] = this.#kept.keys()
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(oldest)
  }

  /** RFC 9745 and RFC 8594. */
  #noteDeprecation(operationId: string, headers: Headers): void {
    const since = headers.get('Deprecation')
    if (since === null || this.#reported.has(operationId)) return
    this.#reported.add(operationId)
    this.#options.onDeprecated?.({
      operationId,
      since: date(Number(since.slice(1)) * 1000),
      removal: date(Date.parse(headers.get('Sunset') ?? '')),
    })
  }
}

/** Programs in plain JavaScript, and environment variables that are not set, have no types to warn them. */
function required(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} is required, as text.`)
}

function date(ms: number): Date | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms)
}
