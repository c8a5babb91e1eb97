// The progress of an import or export, shown on every view, and its result.

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { listen } from '../parts/listen.ts'
import { Notice, type NoticeProps } from '../parts/notice.tsx'

interface RunningProps {
  title: string
  done: number
  total: number | undefined
  children: ComponentChildren
}

export function Running({ title, done, total, children }: RunningProps) {
  // The browser asks before it leaves the page.
  useEffect(() => listen(window, 'beforeunload', (event) => event.preventDefault()), [])
  return (
    <section class="running" aria-label={title}>
      <div class="running-inner">
        <p translate={false}>{title}</p>
        <progress aria-label={title} max={total} value={total === undefined ? undefined : done} />
        <div class="actions">{children}</div>
      </div>
    </section>
  )
}

export function WorkResult({
  children,
  ...notice
}: Pick<NoticeProps, 'kind' | 'title'> & { children: ComponentChildren }) {
  return (
    <div class="running-inner">
      <Notice {...notice} actions={<div class="actions">{children}</div>} />
    </div>
  )
}
