// A message, and a message about a failed request with the time of the next attempt.

import type { ComponentChildren } from 'preact'
import { useEffect, useReducer } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { every } from './listen.ts'
import type { RetriedFailure } from './loaded.ts'

export interface NoticeProps {
  /** `done` is not announced; the caller announces it. */
  kind: 'warning' | 'error' | 'done'
  title: string
  text?: ComponentChildren
  actions?: ComponentChildren
  onClose?: () => void
}

export function Notice({ kind, title, text, actions, onClose }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} translate={false} role={kind === 'done' ? undefined : 'alert'}>
      <div>
        <strong>{title}</strong> {text}
      </div>
      {actions && <div>{actions}</div>}
      {onClose && <CloseButton onClose={onClose} />}
    </div>
  )
}

export function CloseButton({ onClose }: { onClose: () => void }) {
  return <Button text={<Icon name="close" />} class="quiet" aria-label="Close" title="Close" onClick={onClose} />
}

interface RetryNoticeProps extends Pick<NoticeProps, 'title' | 'actions'> {
  failure: RetriedFailure
  reload: () => void
}

export function RetryNotice({ failure, title, actions, reload }: RetryNoticeProps) {
  const kind = failure.kind === 'unavailable' ? 'warning' : 'error'
  const text = [failure.message, ' ', <Countdown key="next" to={failure.retryAt} />]
  return (
    <Notice {...{ kind, title, text }} actions={[actions, ' ', <Button key="now" text="Try now" onClick={reload} />]} />
  )
}

/** Hidden from screen readers, which would announce every second. */
function Countdown({ to }: { to: number }) {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => every(1_000, () => tick(undefined)), [])
  const seconds = Math.max(0, Math.ceil((to - Date.now()) / 1_000))
  return <span aria-hidden="true">{seconds > 0 ? `Next try in ${seconds} s.` : 'Trying…'}</span>
}
