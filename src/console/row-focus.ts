// The focus within the rows of a list: moved by keys, and kept in place when others take a row away.

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Shown } from './list.ts'

/** To the next row, or to the one before. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll('.rows:not(.loading) tbody tr')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)
  rows[next]?.querySelector('a')?.focus()
}

/** When the row that has the focus leaves, because others have changed it, the focus stays where it was: in the row that is there now. */
export function useFocusInPlace(shown: Shown) {
  const table = useRef<HTMLTableElement>(null)
  const at = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (at.current === undefined || document.activeElement !== document.body) return
    const rows = table.current?.tBodies[0]?.rows
    const row = rows?.item(Math.min(at.current, rows.length - 1))
    const button = row?.querySelector<HTMLElement>('.actions button') ?? row?.querySelector<HTMLElement>('a, button')
    button?.focus({ preventScroll: true })
  }, [shown])
  return {
    ref: table,
    onFocusIn: ({ target }: FocusEvent) => {
      at.current = (target as Element).closest('tr')?.sectionRowIndex
    },
    // An element that is removed loses the focus while it is still there.
    onFocusOut: ({ target }: FocusEvent) =>
      setTimeout(() => {
        if ((target as Element).isConnected && !table.current?.contains(document.activeElement)) at.current = undefined
      }),
  }
}
