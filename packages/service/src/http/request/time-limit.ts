// How long a body may take to arrive. All limits share one timer, because a timer for each body would cost more than reading most bodies.

import { PetstoreError } from '../../domain/petstore-error.ts'

const SWEEP_EVERY_MS = 50

interface Pending {
  /** On the clock of performance.now(). */
  deadline: number
  fail: () => void
}

const pending = new Set<Pending>()
let sweeping: ReturnType<typeof setInterval> | undefined

/** The body, when it arrives. Rejects with `request_timeout` soon after `timeoutMs` have passed. */
export function arrivesWithin(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const late = `The body did not arrive within ${timeoutMs / 1000} seconds.`
    const entry = {
      deadline: performance.now() + timeoutMs,
      fail: () => reject(new PetstoreError('request_timeout', late)),
    }
    pending.add(entry)
    sweeping ??= setInterval(sweep, SWEEP_EVERY_MS)
    reading.then(
      (bytes) => {
        pending.delete(entry)
        resolve(bytes)
      },
      (cause) => {
        pending.delete(entry)
        reject(cause instanceof PetstoreError ? cause : incomplete(cause))
      },
    )
  })
}

function incomplete(cause: unknown): PetstoreError {
  return new PetstoreError('request_timeout', 'The connection closed before the whole body arrived.', { cause })
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
