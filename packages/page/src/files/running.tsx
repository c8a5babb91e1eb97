// An import or an export that goes on wherever one is on the page: how far it is, what can be done with it, and how it ended.

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { listen } from '../parts/listen.ts'
import { Notice, type NoticeProps } from '../parts/notice.tsx'

interface RunningProps {
  title: string
  done: number
  /** `undefined` where nobody has counted. */
  total: number | undefined
  /** Buttons. */
  children: ComponentChildren
}

export function Running({ title, done, total, children }: RunningProps) {
  // The browser asks before it leaves the page.
  useEffect(() => listen(window, 'beforeunload', (event) => event.preventDefault()), [])
  return (
    <section class="running" aria-label={title}>
      <div class="running-inner">
        <p>{title}</p>
        <progress aria-label={title} max={total} value={total === undefined ? undefined : done} />
        <div class="actions">{children}</div>
      </div>
    </section>
  )
}

export function Ended({ children, ...notice }: Pick<NoticeProps, 'kind' | 'title'> & { children: ComponentChildren }) {
  return (
    <div class="running-inner">
      <Notice {...notice} actions={<div class="actions">{children}</div>} />
    </div>
  )
}
