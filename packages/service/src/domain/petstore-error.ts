// An error with a code of the contract, which becomes a response (http/response/response.ts).
// decisions/refusal-messages.ts has the errors of decisions about pets and orders.

import type { ErrorCode } from '../../../contract/src/generated.ts'

/** `message` is for the caller: no keys, SQL, paths or stacks. `cause` is for the operator's log. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError'
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/**
 * Rejects a request before any work is done. One shared object, so that shedding load is cheap and distinguishable
 * from a failure of the store.
 */
export const OVERLOADED = new PetstoreError('unavailable', 'The service is overloaded; try again.')
