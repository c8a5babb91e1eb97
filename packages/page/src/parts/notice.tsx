// A message that stays on the page for as long as it is true.

import type { ComponentChildren } from 'preact'
import { useEffect, useReducer } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import type { RetriedFailure } from './loaded.ts'

interface NoticeProps {
  /** `done` is only seen: who uses it announces it. */
  kind: 'warning' | 'error' | 'done'
  title: string
  children?: ComponentChildren
  /** Buttons. */
  actions?: ComponentChildren
  /** With a cross in its corner. */
  onClose?: () => void
}

export function Notice({ kind, title, children, actions, onClose }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'done' ? undefined : 'alert'}>
      <div>
        <strong>{title}</strong> {children}
      </div>
      {actions && <div>{actions}</div>}
      {onClose && <CloseButton onClose={onClose} />}
    </div>
  )
}

export function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" class="quiet" aria-label="Close" title="Close" onClick={onClose}>
      <Icon name="close" />
    </button>
  )
}

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
          {actions} <Button text="Try now" onClick={reload} />
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
