// What the page reads from the service, and reads again until it has come: by itself after a while, when the network is back, or when
// somebody asks for it.

import { type Inputs, useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, isAborted, toFailure } from './failures.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000

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
  /** Until it is read again. */
  setValue: (change: (before: Value | undefined) => Value | undefined) => void
}

/** `read` rejects as a call of the client does; it is called again whenever one of `inputs` changes. */
export function useLoaded<Value>(read: (signal: AbortSignal) => Promise<Value>, inputs: Inputs): Loaded<Value> {
  const [value, setValue] = useState<Value>()
  const [failure, setFailure] = useState<RetriedFailure>()
  const [again, setAgain] = useState(0)
  const failures = useRef(0)
  const reload = useCallback(() => setAgain((before) => before + 1), [])

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      try {
        const next = await read(aborter.signal)
        aborter.signal.throwIfAborted()
        failures.current = 0
        setValue(() => next)
        setFailure(undefined)
      } catch (error) {
        if (aborter.signal.aborted || isAborted(error)) return
        const failed = withRetry(error, failures.current++)
        setFailure(failed)
        timer = setTimeout(reload, failed.retryAt - Date.now())
      }
    }

    load()
    window.addEventListener('online', reload)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      window.removeEventListener('online', reload)
    }
  }, [...inputs, again])

  return { value, failure, reload, setValue }
}

/** `before`: how many attempts have failed before this one. */
export function withRetry(error: unknown, before: number): RetriedFailure {
  const failure = toFailure(error)
  const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** before)
  // Random, so that tabs that lost the service together do not retry together.
  const retryMs = Math.max(failure.retryAfterMs ?? 0, pauseMs * (0.75 + Math.random() / 2))
  return { ...failure, retryAt: Date.now() + retryMs }
}
