// A message that stays on the page for as long as it is true.

import type { ComponentChildren } from 'preact'

interface NoticeProps {
  /** `done` is only seen: who uses it announces it. */
  kind: 'warning' | 'error' | 'done'
  title: string
  children?: ComponentChildren
  /** Buttons. */
  actions?: ComponentChildren
}

export function Notice({ kind, title, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'done' ? undefined : 'alert'}>
      <div>
        <strong>{title}</strong> {children}
      </div>
      {actions && <div>{actions}</div>}
    </div>
  )
}
