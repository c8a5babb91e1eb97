// How a call to the service can fail: it answered with an error, or no answer came. A call that its caller aborted
// rejects with the signal's own reason, and with none of these.

import type { ErrorCode } from '../generated/contract.ts'

/** The service answered, and the answer is not what was asked for. */
export class PetstoreApiError extends Error {
  override readonly name = 'PetstoreApiError'

  constructor(
    message: string,
    /** `unexpected_answer`: it is not the service that answered (a proxy, a wrong address), or not as its contract says. */
    readonly code: ErrorCode | 'unexpected_answer',
    /** The HTTP status. */
    readonly status: number,
    /** Names the request in the service's log. */
    readonly requestId: string | undefined,
    /** How long the service asked to wait before another try. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message)
  }
}

/** No whole answer came; `cause` is what `fetch` said. Whether the service did what was asked is not known. */
export class PetstoreNetworkError extends Error {
  override readonly name: string = 'PetstoreNetworkError'
}

/** No whole answer came in time. */
export class PetstoreTimeoutError extends PetstoreNetworkError {
  override readonly name = 'PetstoreTimeoutError'
}
