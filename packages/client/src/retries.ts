// One request and its response, with a timeout, retries and an abort signal. Only what is safe to repeat is sent again: reads change nothing,
// a create carries an Idempotency-Key, and repeating the change of an order, or a deletion, has no second effect. A correction might undo
// what somebody else has changed meanwhile, unless it names the entity tag that it is about.

import { type PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError, PetstoreUncertainError } from './errors.ts'
import { readError } from './responses.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface RequestOptions {
  fetch: Fetch
  /** For each attempt, until the last byte of its response. */
  timeoutMs: number
  /** How many attempts may follow the first. */
  retries: number
  /** When the service asks for a longer pause, the caller decides. Default: 30 000. */
  retryAfterMaxMs?: number | undefined
  signal: AbortSignal
  /** Called before each pause after which the request is sent again. */
  onRetry?: ((reason: Error, pauseMs: number) => void) | undefined
}

export interface Received {
  response: Response
  text: string
  attempts: number
}

/** Statuses for which another attempt may succeed. A proxy answers with them, too. */
const RETRYABLE = [408, 429, 500, 502, 503, 504]
const PAUSE_MS = 200
const PAUSE_MAX_MS = 5_000
const RETRY_AFTER_MAX_MS = 30_000

/**
 * Returns a response with a 2xx status, or with 304 where `If-None-Match` is sent. Throws PetstoreApiError for any other status, PetstoreTimeoutError or
 * PetstoreNetworkError when no complete response arrived, PetstoreUncertainError when a change may have been made nevertheless, and the signal's
 * reason when the caller aborted.
 */
export async function sendRequest(
  baseUrl: string,
  path: string,
  init: RequestInit,
  options: RequestOptions,
): Promise<Received> {
  let mayBeDone = false
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(baseUrl, path, init, options)
    if (!(outcome instanceof Error)) return { ...outcome, attempts }
    options.signal.throwIfAborted()
    mayBeDone ||= isLost(outcome)
    const mayRepeat = attempts <= options.retries && (isRepeatable(init) || !mayBeDone)
    const pauseMs = mayRepeat ? pauseBeforeRetry(outcome, attempts, options.retryAfterMaxMs) : undefined
    if (pauseMs === undefined) throw finalError(outcome, init, mayBeDone)
    options.onRetry?.(outcome, pauseMs)
    await pause(pauseMs, options.signal)
  }
}

async function attempt(
  baseUrl: string,
  path: string,
  init: RequestInit,
  { fetch, timeoutMs, signal }: RequestOptions,
): Promise<Omit<Received, 'attempts'> | Failure> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    const response = await fetch(baseUrl + path, { ...init, signal: AbortSignal.any([signal, late.signal]) })
    const text = await response.text()
    const isUnchanged = response.status === 304 && 'If-None-Match' in (init.headers ?? {})
    return response.ok || isUnchanged ? { response, text } : readError(response, text)
  } catch (cause) {
    if (late.signal.aborted) {
      return new PetstoreTimeoutError(`No response from ${baseUrl} within ${timeoutMs / 1000} seconds.`, { cause })
    }
    return new PetstoreNetworkError(`The service at ${baseUrl} cannot be reached.`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

type Failure = PetstoreApiError | PetstoreNetworkError

/** What a call rejects with whose last attempt failed so. */
function finalError(last: Failure, init: RequestInit, mayBeDone: boolean): Failure | PetstoreUncertainError {
  if (!mayBeDone || !isChange(init)) return last
  return isLost(last) && isRepeatable(init) ? last : new PetstoreUncertainError(last)
}

/** Whether the service may have done what it was asked for. After 429 it has not. */
function isLost(failure: Failure): boolean {
  return failure instanceof PetstoreNetworkError || failure.status >= 500 || failure.status === 408
}

/** The refusal of a create tells that nothing was added: what was added once under its Idempotency-Key is answered again. */
function isChange({ method, headers = {} }: RequestInit): boolean {
  return method !== undefined && !('Idempotency-Key' in headers)
}

/** `*` matches whatever somebody else has made of it. */
function isRepeatable({ method, headers }: RequestInit): boolean {
  const { 'If-Match': ifMatch = '*' } = (headers ?? {}) as Record<string, string>
  return method !== 'PATCH' || ifMatch.trim() !== '*'
}

/**
 * Doubles with each attempt. Half of it is random, so that clients that failed together do not retry together; the other half is not, so that
 * none retries at once.
 */
function pauseBeforeRetry(
  failure: Failure,
  attempts: number,
  retryAfterMaxMs = RETRY_AFTER_MAX_MS,
): number | undefined {
  const pauseMs = ((1 + Math.random()) / 2) * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (attempts - 1))
  if (failure instanceof PetstoreNetworkError) return pauseMs
  const { code, status, retryAfterMs = 0 } = failure
  // The only conflict that is temporary: the first attempt is still running.
  const mayPass = RETRYABLE.includes(status) || code === 'idempotency_in_flight'
  return mayPass && retryAfterMs <= retryAfterMaxMs ? retryAfterMs + pauseMs : undefined
}

/** Throws the signal's reason as soon as the caller aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
