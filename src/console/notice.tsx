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

interface ReadOnlyNoticeProps extends Pick<NoticeProps, 'kind' | 'children'> {
  onChangeKey: () => void
}

export function ReadOnlyNotice({ kind, children, onChangeKey }: ReadOnlyNoticeProps) {
  return (
    <Notice
      kind={kind}
      title="This key is read-only."
      actions={
        <button type="button" onClick={onChangeKey}>
          Use another key
        </button>
      }
    >
      {children}
    </Notice>
  )
}
