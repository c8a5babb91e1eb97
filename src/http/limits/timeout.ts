// Work that has to be done in time. One clock for all of it: a timer for each request's body would cost more than reading
// most of them.

const SWEEP_EVERY_MS = 50

interface Awaited {
  /** On the clock of performance.now(). */
  until: number
  fail: () => void
}

const pending = new Set<Awaited>()
let sweeping: ReturnType<typeof setInterval> | undefined

/** What `work` gives, or else, `timeoutMs` later at the earliest and soon after, the error that `late` makes. */
export function inTime<Result>(work: Promise<Result>, timeoutMs: number, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const awaited = { until: performance.now() + timeoutMs, fail: () => reject(late()) }
    pending.add(awaited)
    sweeping ??= setInterval(sweep, SWEEP_EVERY_MS)
    work.then(
      (result) => {
        pending.delete(awaited)
        resolve(result)
      },
      (error) => {
        pending.delete(awaited)
        reject(error)
      },
    )
  })
}

function sweep(): void {
  const now = performance.now()
  for (const awaited of pending) {
    if (awaited.until > now) continue
    pending.delete(awaited)
    awaited.fail()
  }
  if (pending.size > 0) return
  clearInterval(sweeping)
  sweeping = undefined
}
