// An error of the client → what the page does about it.

import { PetstoreApiError, PetstoreNetworkError, PetstoreUncertainError } from '../../client/src/petstore.ts'

/**
 * `unauthorized`: the key does not work, or no longer works. `unavailable`: a retry may succeed. `other`: the service refused
 * the request, and its message says why.
 */
export interface Failure {
  kind: 'unauthorized' | 'unavailable' | 'other'
  code: string
  /** For people. */
  message: string
  /** What was asked for may have been done nevertheless. */
  mayBeDone?: boolean
  /** How long the service asked to wait, if it did. */
  retryAfterMs?: number | undefined
}

/** For each attempt of a request: see PetstoreClientOptions. */
export const TIMEOUT_MS = 10_000
/** For people, where no answer came. */
export const NOT_RESPONDING = 'No connection.'

/** Ended by whoever began it, or with the session: effects are cleaned up only after the session's requests have ended. */
export function isAborted(error: unknown): boolean {
  return (error as Error).name === 'AbortError'
}

/** Throws an error that is not the client's: a fault of the page. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PetstoreUncertainError) return { ...toFailure(error.cause), mayBeDone: true }
  if (error instanceof PetstoreApiError) {
    const { code, message, status, requestId, retryAfterMs } = error
    if (status === 401) return { kind: 'unauthorized', code, message }
    if (code === 'read_only_key') return { kind: 'other', code, message: 'This key is read-only.' }
    // By the status, because a newer service may send other codes. A store that is full stays so for a while.
    if ([408, 429, 502, 503, 504].includes(status) && code !== 'storage_full') {
      return { kind: 'unavailable', code, message, retryAfterMs }
    }
    return { kind: 'other', code, message: requestId && status >= 500 ? `${message} (${requestId})` : message }
  }
  if (error instanceof PetstoreNetworkError) {
    return { kind: 'unavailable', code: 'network', message: NOT_RESPONDING, mayBeDone: true }
  }
  throw error
}
