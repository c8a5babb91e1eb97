// How a test waits for a call that must fail, or may.

import { PetstoreError } from '../../packages/service/src/domain/petstore-error.ts'

/**
 * What the call rejects with. Rejects when the call succeeds. Use it in place of `expect(…).rejects`, for which Bun runs an event loop
 * inside the test: when a `setImmediate` settles the promise, as in every store, and the process has anything else open, that loop
 * sleeps until the next timer, which may be the time limit of the test.
 */
export function rejectionOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    (value) => {
      throw new Error(`did not fail: ${Bun.inspect(value)}`)
    },
    (error) => error,
  )
}

/** `answered`, or the code with which the store refuses. */
export const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error) => (error instanceof PetstoreError ? error.code : String(error)),
  )
