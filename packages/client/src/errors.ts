// How a call to the service can fail: the service returned an error, no complete response arrived, or it is not known whether a change was
// made. A call that its caller aborted rejects with the signal's reason instead.

import type { ErrorCode } from '../../contract/src/generated.ts'

/** The service returned an error, or a response that does not follow the contract. */
export class PetstoreApiError extends Error {
  override readonly name = 'PetstoreApiError'

  constructor(
    message: string,
    /**
     * `unexpected_answer`: the response does not follow the contract. It may come from a proxy, or the address is wrong. A newer service
     * may send a code that `ErrorCode` does not have: go by the status then.
     */
    readonly code: ErrorCode | 'unexpected_answer' | (string & Record<never, never>),
    /** The HTTP status. */
    readonly status: number,
    /** Identifies the request in the service's log. */
    readonly requestId?: string,
    /** How long the service asked to wait before the next attempt. */
    readonly retryAfterMs?: number,
  ) {
    super(message)
  }
}

/** No complete response arrived; `cause` is the error of `fetch`. The service may or may not have done the request. */
export class PetstoreNetworkError extends Error {
  override readonly name: string = 'PetstoreNetworkError'
}

/** No complete response arrived within `timeoutMs`. */
export class PetstoreTimeoutError extends PetstoreNetworkError {
  override readonly name = 'PetstoreTimeoutError'
}

/**
 * The change may have been made: the response to an attempt was lost, and no later one tells. Look at what is there before you ask again.
 * `cause`: how the last attempt failed.
 */
export class PetstoreUncertainError extends Error {
  override readonly name = 'PetstoreUncertainError'

  constructor(override readonly cause: PetstoreApiError | PetstoreNetworkError) {
    super(`The change may have been made: the response to a request was lost. ${cause.message}`, { cause })
  }
}
