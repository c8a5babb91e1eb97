// Sets the title of the browser tab.

import { useLayoutEffect } from 'preact/hooks'
import { names } from './names.ts'
import { plain } from './parts/visible-text.ts'

/** With `undefined`, another component sets the title. */
export function useTitle(view: string | undefined): void {
  const { store } = names()
  useLayoutEffect(() => {
    if (view !== undefined) document.title = `${view} · ${plain(store)}`
  }, [view, store])
}
