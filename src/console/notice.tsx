// A message that stays on the page for as long as it is true.

import type { ComponentChildren } from 'preact'

interface NoticeProps {
  kind: 'warning' | 'error' | 'info'
  title: string
  children?: ComponentChildren
  /** Buttons. */
  actions?: ComponentChildren
}

export function Notice({ kind, title, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'info' ? 'status' : 'alert'}>
      <div>
        <strong>{title}</strong> {children}
      </div>
      {actions && <div class="notice-actions">{actions}</div>}
    </div>
  )
}
