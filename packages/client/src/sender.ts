// Sends the client's requests with its address and API key. The key is never logged, stored or put into a message.

import { type Fetch, type Received, sendRequest } from './retries.ts'

export interface PetstoreClientOptions {
  /** The service's address, ending in `/v1`. It can be relative in a browser. */
  baseUrl: string
  apiKey: string
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** For each attempt, until the last byte of the response. Default: 10 000. */
  timeoutMs?: number | undefined
  /** How many attempts may follow the first after temporary failures. Default: 2. */
  retries?: number | undefined
  /**
   * If a response has a longer Retry-After, the call is not retried. If you set this, waiting for Retry-After does not
   * count toward `retries`. Default: 30 000, and it counts.
   */
  retryAfterMaxMs?: number | undefined
  /** Aborts every call of this client, also later ones. Each rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called before the pause before each retry. */
  onRetry?: ((reason: Error, pauseMs: number) => void) | undefined
  /** Called once for each deprecated operation that the client uses. */
  onDeprecated?: ((notice: Deprecation) => void) | undefined
}

export interface Deprecation {
  operationId: string
  since: Date | undefined
  removal: Date | undefined
}

export interface CallOptions {
  /** Aborts the call and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Overrides the client's `retries`. */
  retries?: number | undefined
}

export interface SendOptions extends CallOptions {
  /** How long the service can wait before it responds. Added to `timeoutMs`. */
  waitMs?: number | undefined
  /** Overrides the client's `retryAfterMaxMs`. */
  retryAfterMaxMs?: number | undefined
}

/** The number of cached responses. */
const KEPT_MAX = 20

export class Sender {
  readonly #options: PetstoreClientOptions
  /** By path, least recently used first. */
  readonly #kept = new Map<string, Received>()
  readonly #reported = new Set<string>()

  /** Throws TypeError if `baseUrl` or `apiKey` is invalid. */
  constructor(options: PetstoreClientOptions) {
    const baseUrl = required(options.baseUrl, 'baseUrl').replace(/\/+$/, '')
    // Messages contain the address, so it must not have a password.
    if (!/^(?!\w+:\/\/[^/]*@)[^?#]*\/v1$/.test(baseUrl)) {
      throw new TypeError('baseUrl must end in /v1 and have no password.')
    }
    // Checked here because the message of `fetch` would contain the key.
    if (!/^[\x21-\x7e]+$/.test(required(options.apiKey, 'apiKey'))) {
      throw new TypeError('apiKey must be printable ASCII without spaces.')
    }
    this.#options = { ...options, baseUrl }
  }

  /**
   * `init.headers` is a plain object. After a 304, resolves with the response that it confirms, and the `headers` of
   * the 304. Rejects as `sendRequest`.
   */
  async send(
    operationId: string,
    path: string,
    init: RequestInit,
    call: SendOptions,
  ): Promise<Received & { headers: Headers }> {
    const {
      baseUrl,
      apiKey,
      fetch = globalThis.fetch,
      timeoutMs = 10_000,
      retries = 2,
      retryAfterMaxMs,
      onRetry,
    } = this.#options
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
        // The service never redirects, and the key must not reach another server.
        redirect: 'error',
        credentials: 'omit',
      },
      {
        retryAfterMaxMs,
        onRetry,
        ...call,
        fetch,
        timeoutMs: timeoutMs + (call.waitMs ?? 0),
        retries: call.retries ?? retries,
        signal: AbortSignal.any(signals),
      },
    )
    this.#noteDeprecation(operationId, received.response.headers)
    const current = kept && received.response.status === 304 ? kept : received
    if (init.method === undefined) this.#keep(path, current)
    return { ...current, headers: received.response.headers }
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

/** Checks what types cannot: callers in plain JavaScript, and unset environment variables. */
function required(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} is required, as text.`)
}

function date(ms: number): Date | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms)
}
