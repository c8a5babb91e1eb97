// Timeouts. All share one timer, because a timer for each request body would cost more than reading most bodies.

const SWEEP_EVERY_MS = 50

interface Pending {
  /** On the clock of performance.now(). */
  deadline: number
  fail: () => void
}

const pending = new Set<Pending>()
let sweeping: ReturnType<typeof setInterval> | undefined

/** Resolves or rejects as `work` does; rejects with `timeoutError()` soon after `timeoutMs` have passed. */
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
