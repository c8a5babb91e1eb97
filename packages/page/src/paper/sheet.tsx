// What goes to paper instead of what is on the screen. It is on the page only while it is printed.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The sheet, and what prints one. */
export function useSheet(): [ComponentChildren, (content: ComponentChildren) => void] {
  const [content, setContent] = useState<ComponentChildren>()
  useLayoutEffect(() => {
    if (!content) return
    const end = () => setContent(undefined)
    window.addEventListener('afterprint', end)
    window.print()
    return () => window.removeEventListener('afterprint', end)
  }, [content])
  return [content && <div class="sheet">{content}</div>, setContent]
}
