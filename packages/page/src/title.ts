// The title of the browser's tab: what is shown, and of what.

import { useLayoutEffect } from 'preact/hooks'

/** `undefined`: another part of the page says it. */
export function useTitle(view: string | undefined): void {
  useLayoutEffect(() => {
    if (view !== undefined) document.title = `${view} · Petstore`
  }, [view])
}
