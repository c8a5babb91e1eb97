// One piece of work at a time: a second press, even in the same moment, starts nothing. Work that a sign-out has ended ends without a word.

import { useRef, useState } from 'preact/hooks'
import { isAborted } from '../failures.ts'

/** Whether work is under way, and what starts it. */
export function useBusy(): [boolean, (work: () => Promise<void>) => Promise<void>] {
  const [busy, setBusy] = useState(false)
  /** Known before the next rendering. */
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
