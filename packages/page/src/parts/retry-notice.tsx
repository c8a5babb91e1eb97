// What could not be loaded, why, when it is tried again, and the button that tries it now.

import type { ComponentChildren } from 'preact'
import { useEffect, useReducer } from 'preact/hooks'
import type { RetriedFailure } from './loaded.ts'
import { Notice } from './notice.tsx'

interface RetryNoticeProps {
  failure: RetriedFailure
  title: string
  /** Beside the one that tries now. */
  actions?: ComponentChildren
  reload: () => void
}

export function RetryNotice({ failure, title, actions, reload }: RetryNoticeProps) {
  return (
    <Notice
      kind={failure.kind === 'unavailable' ? 'warning' : 'error'}
      title={title}
      actions={
        <>
          {actions}{' '}
          <button type="button" onClick={reload}>
            Try now
          </button>
        </>
      }
    >
      {failure.message} <Countdown to={failure.retryAt} />
    </Notice>
  )
}

/** Hidden from screen readers, which would read every second aloud. */
function Countdown({ to }: { to: number }) {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, 1_000, undefined)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((to - Date.now()) / 1_000))
  return <span aria-hidden="true">{seconds > 0 ? `Next try in ${seconds} s.` : 'Trying…'}</span>
}
