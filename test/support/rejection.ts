// Awaits calls that must or can fail.

import { PetstoreError } from '../../packages/service/src/domain/petstore-error.ts'

/**
 * Resolves with the error of the call. Rejects if the call succeeds. Use it instead of `expect(…).rejects`, for which
 * Bun runs a nested event loop: if a `setImmediate` settles the promise, as in every store, and the process has open
 * handles, that loop can sleep until the time limit of the test.
 */
export function rejectionOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    (value) => {
      throw new Error(`The call succeeded: ${Bun.inspect(value)}`)
    },
    (error) => error,
  )
}

/** Resolves with `answered`, or the error code. */
export const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error) => (error instanceof PetstoreError ? error.code : String(error)),
  )
