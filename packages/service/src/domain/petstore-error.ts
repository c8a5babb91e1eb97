// The error that becomes a response (http/response/error-answer.ts), with a code of the contract. Decisions about pets and orders have
// theirs in decisions/refusal-messages.ts.

import type { ErrorCode } from '../../../contract/src/generated.ts'

/** `message` is for the caller: without keys, SQL, paths or stacks. `cause` is for the operator's log. */
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
 * The request was refused before anything was done. One shared object, so that a refusal costs almost nothing and can be distinguished
 * from a failure of the store.
 */
export const OVERLOADED = new PetstoreError('unavailable', 'The service is overloaded; try again.')
