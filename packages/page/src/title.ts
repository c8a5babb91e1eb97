// The title of the browser's tab: what is shown, and of what.

import { useLayoutEffect } from 'preact/hooks'
import { names } from './names.ts'
import { plain } from './parts/visible-text.ts'

/** `undefined`: another part of the page says it. */
export function useTitle(view: string | undefined): void {
  const { store } = names()
  useLayoutEffect(() => {
    if (view !== undefined) document.title = `${view} · ${plain(store)}`
  }, [view, store])
}
