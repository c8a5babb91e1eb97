// Work that has to be done in time. One clock for all of it: a timer for each request's body would cost more than reading
// most of them.

const SWEEP_EVERY_MS = 50

interface Pending {
  /** On the clock of performance.now(). */
  deadline: number
  fail: () => void
}

const pending = new Set<Pending>()
let sweeping: ReturnType<typeof setInterval> | undefined

/** What `work` gives, or else, `timeoutMs` later at the earliest and soon after, the error that `timeoutError` makes. */
export function withTimeout<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  timeoutError: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const entry = { deadline: performance.now() + timeoutMs, fail: () => reject(timeoutError()) }
    pending.add(entry)
    sweeping ??= setInterval(sweep, SWEEP_EVERY_MS)
    work.then(
      (result) => {
        pending.delete(entry)
        resolve(result)
      },
      (error) => {
        pending.delete(entry)
        reject(error)
      },
    )
  })
}

function sweep(): void {
  const now = performance.now()
  for (const entry of pending) {
    if (entry.deadline > now) continue
    pending.delete(entry)
    entry.fail()
  }
  if (pending.size > 0) return
  clearInterval(sweeping)
  sweeping = undefined
}
