// Sends one request with a timeout, retries and an abort signal. Only repeats requests if that is safe: reads, creates
// with an Idempotency-Key, order changes and deletions, whose repeats have no effect, and a PATCH with an ETag.
// Without an ETag, a repeated PATCH could undo another client's change.

import { type PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError, PetstoreUncertainError } from './errors.ts'
import { readError } from './responses.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface RequestOptions {
  fetch: Fetch
  /** For each attempt, until the last byte of the response. */
  timeoutMs: number
  /** How many attempts may follow the first. */
  retries: number
  /** See PetstoreClientOptions. */
  retryAfterMaxMs?: number | undefined
  signal: AbortSignal
  /** Called before the pause before each retry. */
  onRetry?: ((reason: Error, pauseMs: number) => void) | undefined
}

export interface Received {
  response: Response
  text: string
  /** Whether the service may have carried out an earlier attempt of this call. */
  mayBeDone: boolean
}

/** Statuses of temporary failures, also from proxies. */
const RETRYABLE = [408, 429, 500, 502, 503, 504]
const PAUSE_MS = 200
const PAUSE_MAX_MS = 5_000
const RETRY_AFTER_MAX_MS = 30_000

/**
 * Resolves with a 2xx response, or a 304 if `If-None-Match` was sent. Rejects with PetstoreApiError for any other
 * status, with PetstoreTimeoutError or PetstoreNetworkError if no complete response arrived, with
 * PetstoreUncertainError if a change may have been made anyway, and with the signal's reason if the caller aborted.
 */
export async function sendRequest(
  baseUrl: string,
  path: string,
  init: RequestInit,
  options: RequestOptions,
): Promise<Received> {
  let mayBeDone = false
  let left = options.retries
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(baseUrl, path, init, options)
    if (!(outcome instanceof Error)) return { ...outcome, mayBeDone }
    options.signal.throwIfAborted()
    mayBeDone ||= isLost(outcome)
    // Only errors of the service have it.
    if (!options.retryAfterMaxMs || (outcome as PetstoreApiError).retryAfterMs === undefined) left--
    const mayRepeat = left >= 0 && (isRepeatable(init) || !mayBeDone)
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
): Promise<Omit<Received, 'mayBeDone'> | Failure> {
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

/** Returns the error of a call whose last attempt failed with `last`. */
function finalError(last: Failure, init: RequestInit, mayBeDone: boolean): Failure | PetstoreUncertainError {
  if (!mayBeDone || !isChange(init)) return last
  return isLost(last) && isRepeatable(init) ? last : new PetstoreUncertainError(last)
}

/** Whether the service may have carried out the request. After 429, it has not. */
function isLost(failure: Failure): boolean {
  return failure instanceof PetstoreNetworkError || failure.status >= 500 || failure.status === 408
}

/**
 * Not for creates: a rejected create added nothing, because otherwise its Idempotency-Key would replay the response.
 */
function isChange({ method, headers = {} }: RequestInit): boolean {
  return method !== undefined && !('Idempotency-Key' in headers)
}

/** `If-Match: *` does not detect another client's change. */
function isRepeatable({ method, headers }: RequestInit): boolean {
  const { 'If-Match': ifMatch = '*' } = (headers ?? {}) as Record<string, string>
  return method !== 'PATCH' || ifMatch.trim() !== '*'
}

/**
 * Doubles with each attempt. Half of the pause is random, so that clients that failed together do not retry together.
 * The other half is fixed, so that no client retries immediately.
 */
function pauseBeforeRetry(
  failure: Failure,
  attempts: number,
  retryAfterMaxMs = RETRY_AFTER_MAX_MS,
): number | undefined {
  const pauseMs = ((1 + Math.random()) / 2) * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (attempts - 1))
  if (failure instanceof PetstoreNetworkError) return pauseMs
  const { code, status, retryAfterMs = 0 } = failure
  // The only temporary conflict: the first attempt is still running.
  const mayPass = RETRYABLE.includes(status) || code === 'idempotency_in_flight'
  return mayPass && retryAfterMs <= retryAfterMaxMs ? retryAfterMs + pauseMs : undefined
}

/** Pauses for at most 24 days. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const end = () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    // A timer with a longer delay would fire immediately.
    const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1))
    signal?.addEventListener('abort', abort)
  })
}
