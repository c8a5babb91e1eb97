// Maps an error of the client to how the page reacts.

import { PetstoreApiError, PetstoreNetworkError, PetstoreUncertainError } from '../../client/src/petstore.ts'

/**
 * `unauthorized`: the key does not work. `unavailable`: a retry can succeed. `other`: the service rejected the request,
 * and its message gives the reason.
 */
export interface Failure {
  kind: 'unauthorized' | 'unavailable' | 'other'
  code: string
  message: string
  /** The change may have been made although the request failed. */
  mayBeDone?: boolean
  retryAfterMs?: number | undefined
}

export const TIMEOUT_MS = 10_000
export const NOT_RESPONDING = 'No connection.'

/** True for a request that its caller or the end of the session aborted. It can end before its effect is cleaned up. */
export function isAborted(error: unknown): boolean {
  return (error as Error).name === 'AbortError'
}

/** Rethrows any error that is not the client's, because it is a bug in the page. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PetstoreUncertainError) return { ...toFailure(error.cause), mayBeDone: true }
  if (error instanceof PetstoreApiError) {
    const { code, message, status, requestId, retryAfterMs } = error
    if (status === 401) return { kind: 'unauthorized', code, message }
    if (code === 'read_only_key') return { kind: 'other', code, message: 'This key is read-only.' }
    // Uses the status, because a newer service can send unknown codes. Retrying does not help while the store is full.
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
