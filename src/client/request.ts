// One request and its answer: in time, abortable, and tried again where that is safe. Every request of this client is:
// reading changes nothing, and a create carries an Idempotency-Key.

import { type PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError } from './errors.ts'
import { readError } from './responses.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ExchangeOptions {
  fetch: Fetch
  /** For each try, from its start to the last byte of its answer. */
  timeoutMs: number
  /** How many more times to try. */
  retries: number
  signal: AbortSignal | undefined
}

export interface Exchanged {
  response: Response
  text: string
  /** How many it took. */
  tries: number
}

/** Statuses that another try may mend. 409 is here for a create whose first try is still running. */
const PASSING = [408, 409, 429, 500, 502, 503, 504]
const PAUSE_MS = 200
const PAUSE_MAX_MS = 5_000
/** A service that asks for a longer pause than this is left to the caller. */
const RETRY_AFTER_MAX_MS = 30_000

/**
 * Gives an answer of the statuses 2xx. Throws PetstoreApiError for any other, PetstoreTimeoutError or
 * PetstoreNetworkError when none came, and the signal's reason when it was aborted.
 */
export async function exchange(
  baseUrl: string,
  path: string,
  init: RequestInit,
  options: ExchangeOptions,
): Promise<Exchanged> {
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(baseUrl, path, init, options)
    if (!(outcome instanceof Error)) return { ...outcome, tries }
    options.signal?.throwIfAborted()
    const pauseMs = pauseBefore(outcome, tries)
    if (tries > options.retries || pauseMs === undefined) throw outcome
    await pause(pauseMs, options.signal)
  }
}

async function attempt(
  baseUrl: string,
  path: string,
  init: RequestInit,
  { fetch, timeoutMs, signal }: ExchangeOptions,
): Promise<Omit<Exchanged, 'tries'> | PetstoreApiError | PetstoreNetworkError> {
  signal?.throwIfAborted()
  const aborter = new AbortController()
  const abort = () => aborter.abort()
  signal?.addEventListener('abort', abort)
  let late = false
  const timer = setTimeout(() => {
    late = true
    abort()
  }, timeoutMs)
  try {
    const response = await fetch(baseUrl + path, { ...init, signal: aborter.signal })
    const text = await response.text()
    return response.ok ? { response, text } : readError(response, text)
  } catch (cause) {
    if (late)
      return new PetstoreTimeoutError(`No answer from ${baseUrl} within ${timeoutMs / 1000} seconds.`, { cause })
    return new PetstoreNetworkError(`The service at ${baseUrl} cannot be reached.`, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Doubles with each try and is drawn at random, so that clients that failed together do not come back together. */
function pauseBefore(failure: PetstoreApiError | PetstoreNetworkError, tries: number): number | undefined {
  const drawn = Math.random() * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (tries - 1))
  if (failure instanceof PetstoreNetworkError) return drawn
  const { status, retryAfterMs = 0 } = failure
  return PASSING.includes(status) && retryAfterMs <= RETRY_AFTER_MAX_MS ? retryAfterMs + drawn : undefined
}

/** Throws the signal's reason as soon as it is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
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
