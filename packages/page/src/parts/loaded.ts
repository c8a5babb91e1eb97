// Reads a value from the service and retries until it arrives: after a pause, when the network is back, or when the
// person asks.

import { type Inputs, useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { type Failure, isAborted, toFailure } from '../failures.ts'
import { listen } from './listen.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000
/** The pause before changes of other tills are read, however many there are. */
const SOON_MS = 300

export interface RetriedFailure extends Failure {
  retryAt: number
}

export interface Loaded<Value> {
  /** The last value, even while it is read again. */
  value: Value | undefined
  failure: RetriedFailure | undefined
  reload: () => void
  /** Reads the value again soon, once the page is visible and the current attempt has ended. */
  refresh: () => void
}

/** `read` rejects with the client's errors, and runs again if one of `inputs` changes. */
export function useLoaded<Value>(read: (signal: AbortSignal) => Promise<Value>, inputs: Inputs): Loaded<Value> {
  const [value, setValue] = useState<Value>()
  const [failure, setFailure] = useState<RetriedFailure>()
  const [again, setAgain] = useState(0)
  const failures = useRef(0)
  /** The current or next attempt. A refresh during an attempt (`changed`) is done after it. */
  const pending = useRef<'loading' | 'changed' | 'soon' | 'retry'>(undefined)
  const reload = useCallback(() => {
    // Set here and not only in the effect, so that a refresh that is due in between does not restart the attempt.
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

    void load()
    const ends = [listen(document, 'visibilitychange', reloadIfSoon), listen(window, 'online', reload)]
    return () => {
      aborter.abort()
      clearTimeout(timer)
      for (const end of ends) end()
    }
  }, [...inputs, again])

  return { value, failure, reload, refresh }
}

/** `before`: the number of failed attempts before this one. */
export function withRetry(error: unknown, before: number): RetriedFailure {
  const failure = toFailure(error)
  const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** before)
  // Random, so that tabs that lost the connection together do not retry together.
  const retryMs = Math.max(failure.retryAfterMs ?? 0, pauseMs * (0.75 + Math.random() / 2))
  return { ...failure, retryAt: Date.now() + retryMs }
}

/** Resolves with a part of the page that is loaded when it is needed, or rejects like a request without a response. */
export function loadPart<Module>(loading: Promise<Module>): Promise<Module> {
  return loading.catch(() => Promise.reject(new PetstoreNetworkError()))
}
