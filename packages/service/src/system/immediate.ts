// The end of a turn of the event loop. By then all that had reached the process was read, so what is done there is done for all of it
// together, and once.

let ends: Promise<void> | undefined

/** Resolves at the end of this turn: one promise, for all who ask during it. */
export function immediate(): Promise<void> {
  ends ??= new Promise((resolve) => {
    setImmediate(() => {
      ends = undefined
      resolve()
    })
  })
  return ends
}
