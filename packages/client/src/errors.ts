// The errors of a call. An aborted call rejects with the reason of its signal instead.

import type { ErrorCode } from '../../contract/src/generated.ts'

/** The service returned an error, or a response that does not follow the contract. */
export class PetstoreApiError extends Error {
  override readonly name = 'PetstoreApiError'

  constructor(
    message: string,
    /**
     * `unexpected_answer` means that the response does not follow the contract: it comes from a proxy, or the address
     * is wrong. A newer service can send a code that `ErrorCode` does not have. Handle such a code by its status.
     */
    readonly code: ErrorCode | 'unexpected_answer' | (string & Record<never, never>),
    /** The HTTP status. */
    readonly status: number,
    /** Identifies the request in the service's log. */
    readonly requestId?: string,
    /** From Retry-After. */
    readonly retryAfterMs?: number,
  ) {
    super(message)
  }
}

/** No complete response arrived. `cause` is the error of `fetch`. The service may have carried out the request. */
export class PetstoreNetworkError extends Error {
  override readonly name: string = 'PetstoreNetworkError'
}

/** No complete response arrived within `timeoutMs`. */
export class PetstoreTimeoutError extends PetstoreNetworkError {
  override readonly name = 'PetstoreTimeoutError'
}

/**
 * It is unknown whether the change was made, because the response to an attempt was lost. Read the current state
 * before you repeat the change. `cause` is the failure of the last attempt.
 */
export class PetstoreUncertainError extends Error {
  override readonly name = 'PetstoreUncertainError'

  constructor(override readonly cause: PetstoreApiError | PetstoreNetworkError) {
    super(`The change may have been made: a response was lost. ${cause.message}`, { cause })
  }
}
