// What went wrong → what the page does about it.

import { PetstoreApiError, PetstoreNetworkError } from '../client/petstore.ts'

/**
 * `refused`: the key does not work (any more). `readOnly`: it may not add. `away`: the service cannot answer right now,
 * and another try may help. `other`: the service said no, and its message says why.
 */
export interface Failure {
  kind: 'refused' | 'readOnly' | 'away' | 'other'
  code: string
  /** For people. */
  message: string
}

/** Throws what is no failure of a call, but a mistake of the page's. */
export function failureOf(error: unknown): Failure {
  if (error instanceof PetstoreApiError) {
    const { code, message, status, requestId } = error
    if (status === 401) return { kind: 'refused', code, message }
    if (code === 'read_only_key') return { kind: 'readOnly', code, message: 'This key may only look, not add.' }
    if (code === 'unavailable' || code === 'rate_limited' || status === 408 || [502, 504].includes(status)) {
      return { kind: 'away', code, message }
    }
    return { kind: 'other', code, message: requestId && status >= 500 ? `${message} (${requestId})` : message }
  }
  if (error instanceof PetstoreNetworkError) {
    return { kind: 'away', code: 'network', message: 'The service is not answering.' }
  }
  if (error instanceof TypeError)
    return { kind: 'refused', code: 'invalid_api_key', message: 'This is not an API key.' }
  throw error
}
