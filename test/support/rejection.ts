// How a test waits for a call that must fail.

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
