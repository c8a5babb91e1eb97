// What the page reads from the service, and reads again until it has come: by itself after a while, when the network is back, or when
// somebody asks for it.

import { type Inputs, useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, isAborted, toFailure } from '../failures.ts'
import { listen } from './listen.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000
/** How soon what others have changed is read, however much happens. */
const SOON_MS = 300

export interface RetriedFailure extends Failure {
  /** The time of the next attempt. */
  retryAt: number
}

export interface Loaded<Value> {
  /** What came last, while it is read again, too. */
  value: Value | undefined
  /** Set when the last attempt failed. */
  failure: RetriedFailure | undefined
  /** Reads it again. */
  reload: () => void
  /** Others have changed something: reads it again soon, once it is visible, and not before the last attempt has ended. */
  refresh: () => void
}

/** `read` rejects as a call of the client does; it is called again whenever one of `inputs` changes. */
export function useLoaded<Value>(read: (signal: AbortSignal) => Promise<Value>, inputs: Inputs): Loaded<Value> {
  const [value, setValue] = useState<Value>()
  const [failure, setFailure] = useState<RetriedFailure>()
  const [again, setAgain] = useState(0)
  const failures = useRef(0)
  /** An attempt is under way, or one is to come: then what has changed meanwhile is read after it. */
  const pending = useRef<'loading' | 'changed' | 'soon' | 'retry'>(undefined)
  const reload = useCallback(() => {
    // From now on, and not only when the effect begins it: otherwise one that was to come soon would end it and begin another.
    pending.current = 'loading'
    setAgain((before) => before + 1)
  }, [])
  const reloadIfSoon = useCallback(() => {
    if (pending.current === 'soon' && document.visibilityState === 'visible') reload()
  }, [])
  const refresh = useCallback(() => {
    if (pending.current === 'loading') pending.current = 'changed'
    if (pending.current) return
    pending.current = 'soon'
    setTimeout(reloadIfSoon, SOON_MS)
  }, [])

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      pending.current = 'loading'
      try {
        const next = await read(aborter.signal)
        aborter.signal.throwIfAborted()
        failures.current = 0
        setValue(() => next)
        setFailure(undefined)
        const changed = (pending.current as string) === 'changed'
        pending.current = undefined
        if (changed) refresh()
      } catch (error) {
        if (aborter.signal.aborted || isAborted(error)) return
        pending.current = 'retry'
        const failed = withRetry(error, failures.current++)
        setFailure(failed)
        timer = setTimeout(reload, failed.retryAt - Date.now())
      }
    }

    load()
    const ends = [listen(document, 'visibilitychange', reloadIfSoon), listen(window, 'online', reload)]
    return () => {
      aborter.abort()
      clearTimeout(timer)
      for (const end of ends) end()
    }
  }, [...inputs, again])

  return { value, failure, reload, refresh }
}

/** `before`: how many attempts have failed before this one. */
function withRetry(error: unknown, before: number): RetriedFailure {
  const failure = toFailure(error)
  const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** before)
  // Random, so that tabs that lost the service together do not retry together.
  const retryMs = Math.max(failure.retryAfterMs ?? 0, pauseMs * (0.75 + Math.random() / 2))
  return { ...failure, retryAt: Date.now() + retryMs }
}
