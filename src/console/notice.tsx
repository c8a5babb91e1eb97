// A message that stays in the page for as long as it is true.

import type { ComponentChildren } from 'preact'

interface NoteProps {
  kind: 'away' | 'bad' | 'info'
  title: string
  children?: ComponentChildren
  /** Buttons. */
  actions?: ComponentChildren
}

export function Note({ kind, title, children, actions }: NoteProps) {
  return (
    <div class={`note note-${kind}`} role={kind === 'info' ? 'status' : 'alert'}>
      <div>
        <strong>{title}</strong> {children}
      </div>
      {actions && <div class="note-actions">{actions}</div>}
    </div>
  )
}
