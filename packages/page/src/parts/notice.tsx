// A message that stays on the page for as long as it is true.

import type { ComponentChildren } from 'preact'
import { CloseButton } from './close-button.tsx'

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
