// The end of a turn of the event loop, when all that has reached the process was read.

let ends: Promise<void> | undefined

/**
 * Resolves at the end of this turn, for all who ask during it. By then most bodies have arrived with their headers, and requests that are
 * worked on one after the other find code and data in the processor's caches.
 */
export function endOfTurn(): Promise<void> {
  ends ??= new Promise((resolve) => {
    setImmediate(() => {
      ends = undefined
      resolve()
    })
  })
  return ends
}
