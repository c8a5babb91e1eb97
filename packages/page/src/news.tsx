// The message about the last action, also announced. It disappears after a while, unless it has the pointer or the
// focus.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useAnnounce } from './parts/announcer.tsx'
import { every } from './parts/listen.ts'
import { Notice } from './parts/notice.tsx'

const SHOWN_MS = 10_000

interface NewsProps {
  title: string
  action?: ComponentChildren
  onClose: () => void
}

function News({ title, action, onClose }: NewsProps) {
  const news = useRef<HTMLDivElement>(null)
  useEffect(() => every(SHOWN_MS, () => news.current?.matches(':hover, :focus-within') || onClose()), [title])
  return (
    <div ref={news}>
      <Notice kind="done" title={title} actions={action} onClose={onClose} />
    </div>
  )
}

/** Returns the current message and a function that replaces it; an empty sentence removes it. */
export function useNews(): [ComponentChildren, (sentence: string, action?: ComponentChildren) => void] {
  const announce = useAnnounce()
  const [news, setNews] = useState<Pick<NewsProps, 'title' | 'action'>>()
  function tell(title: string, action?: ComponentChildren): void {
    setNews(title ? { title, action } : undefined)
    if (title) announce(title)
  }
  return [news && <News {...news} onClose={() => setNews(undefined)} />, tell]
}
