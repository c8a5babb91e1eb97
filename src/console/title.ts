// The title of the browser's tab: what is shown, and of what.

import { useLayoutEffect } from 'preact/hooks'

export function useTitle(view: string): void {
  useLayoutEffect(() => {
    document.title = `${view} · Petstore`
  }, [view])
}
