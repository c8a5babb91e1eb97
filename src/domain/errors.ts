// The errors a caller can meet: the contract's closed list of codes, and the one class that carries them. No HTTP here;
// http/response/errors.ts says what each becomes on the wire.

import type { ErrorCode } from '../contract/generated.ts'

/** `message` is for the caller: no key, SQL, path or stack. What the operator should know goes into `cause`. */
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
 * Refused because there is too much to do: nothing was begun. One object for all, so that refusing costs next to nothing, and
 * so that it is told from a store that fails.
 */
export const OVERLOADED = new PetstoreError('unavailable', 'The service is overloaded; try again.')

/** A start or a command that cannot go on: the message says what to do, and is all that is shown. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
