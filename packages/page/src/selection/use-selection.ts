// The selected rows, across all pages of a list. A different list or filter clears the selection.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ShownList } from '../list/list.ts'
import { firstPage, type Item, toAddress } from '../list/list-position.ts'
import { LIST_ID } from '../list/row-focus.ts'
import type { Records } from '../live/records.ts'

export interface Selection {
  chosen: ReadonlyMap<bigint, Item>
  choose: (items: readonly Item[], on: boolean) => void
}

/** `selection` is `undefined` unless rows can be selected. */
export function useSelection({ position, shown }: Pick<ShownList, 'position' | 'shown'>, records: Records) {
  const [kept, setKept] = useState<ReadonlyMap<bigint, Item>>()
  const list = toAddress(firstPage(position))
  useLayoutEffect(() => setKept(undefined), [list])
  const ending = useRef(false)
  // A layout effect, because an open dialog keeps the focus until it is removed.
  useLayoutEffect(() => {
    if (ending.current) document.getElementById(LIST_ID)?.focus({ preventScroll: true })
    ending.current = false
  }, [kept])

  const items = shown?.items ?? []
  const chosen = kept && new Map([...kept].map(([id, item]) => [id, records.current(item)]))

  function choose(some: readonly Item[], on: boolean): void {
    const next = new Map(chosen)
    for (const item of some) {
      if (on) next.set(item.id, item)
      else next.delete(item.id)
    }
    setKept(next)
  }

  /** Selects the focused row, or deselects it. */
  function toggleFocused(): void {
    const row = document.activeElement?.closest<HTMLTableRowElement>('#list .rows tbody tr')
    const item = row && items[row.sectionRowIndex]
    if (item) choose([item], !chosen?.has(item.id))
  }

  return {
    selection: chosen && { chosen, choose },
    begin: () => setKept(new Map()),
    /** Moves the focus to the list. */
    end: () => {
      ending.current = true
      setKept(undefined)
    },
    toggleFocused,
  }
}
