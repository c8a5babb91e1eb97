// Moves the focus between rows, keeps it in place when a row disappears, and restores it after a record.

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Page } from './list-position.ts'

export const LIST_ID = 'list'

export function moveRow(step: 1 | -1): void {
  const rows = rowsShown()
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)
  rows[next]?.querySelector('a')?.focus()
}

/**
 * If the focused row disappears, for example while a search narrows, the row that takes its place receives the focus,
 * on its link or its first button. Enter then opens a row instead of acting on one.
 */
export function useFocusInPlace(shown: Page) {
  const table = useRef<HTMLTableElement>(null)
  const at = useRef<{ row: number; acting: boolean }>(undefined)
  useLayoutEffect(() => {
    if (at.current === undefined || document.activeElement !== document.body) return
    const { row: index, acting } = at.current
    const rows = table.current?.tBodies[0]?.rows
    const row = rows?.item(Math.min(index, rows.length - 1))
    const button = acting ? row?.querySelector<HTMLElement>('.actions button') : undefined
    const next = button ?? row?.querySelector<HTMLElement>('a')
    next?.focus({ preventScroll: true })
  }, [shown])
  return {
    ref: table,
    onFocusIn: ({ target }: FocusEvent) => {
      const element = target as Element
      const row = element.closest('tr')?.sectionRowIndex
      at.current = row === undefined ? undefined : { row, acting: element.closest('.actions') !== null }
    },
    // An element that is being removed is still connected when it loses the focus.
    onFocusOut: ({ target }: FocusEvent) =>
      setTimeout(() => {
        if ((target as Element).isConnected && !table.current?.contains(document.activeElement)) at.current = undefined
      }),
  }
}

/** Returning from a record focuses the row that led to it, or the row in its place. Call the result before it opens. */
export function useFocusBack(opened: boolean): (address: string) => void {
  const from = useRef<{ link: string; row: number }>(undefined)
  useLayoutEffect(() => {
    if (opened || !from.current) return
    const { link, row } = from.current
    from.current = undefined
    const rows = rowsShown()
    const inItsPlace = rows[Math.min(row, rows.length - 1)]?.querySelector<HTMLElement>('a.row-link')
    const next = document.querySelector<HTMLElement>(link) ?? inItsPlace
    next?.focus()
  }, [opened])
  return (address) => {
    const link = `.rows a.row-link[href="${address}"]`
    const row = rowsShown().findIndex((row) => row.querySelector(link))
    if (!opened) from.current = row < 0 ? undefined : { link, row }
  }
}

function rowsShown(): Element[] {
  return [...document.querySelectorAll('.rows tbody tr')]
}
