// Runs one task at a time; a second press, even in the same moment, does nothing. A task that a sign-out aborts ends
// silently.

import { useRef, useState } from 'preact/hooks'
import { isAborted } from '../failures.ts'

export function useBusy(): [boolean, (work: () => Promise<void>) => Promise<void>] {
  const [busy, setBusy] = useState(false)
  /** A ref, because the state changes only with the next rendering. */
  const running = useRef(false)
  async function once(work: () => Promise<void>): Promise<void> {
    if (running.current) return
    running.current = true
    setBusy(true)
    try {
      await work()
    } catch (error) {
      if (!isAborted(error)) throw error
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return [busy, once]
}
