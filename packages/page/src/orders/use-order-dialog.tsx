// The current action on an animal: its dialog, and the focus after it.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Order } from '../../../client/src/petstore.ts'
import type { OnAction } from '../list/list-table.tsx'
import { SEARCH_ID } from '../list/search.tsx'
import type { Service } from '../live/feed.ts'
import { useDialog } from '../parts/dialog.tsx'
import type { Action, Subject } from './actions.ts'
import { OrderDialog } from './order-dialog.tsx'
import { type Undo, undoOf } from './undo.ts'

interface OrderDialogProps extends Service {
  onStart: () => void
  /** This till or another one changed something. */
  onChange: () => void
  /** `order` is as it was before the action. `undo`: undefined after a reservation. */
  onDone: (sentence: string, action: Action, order: Order, undo: Undo | undefined) => void
}

export function useOrderDialog({
  onStart,
  onChange,
  onDone,
  ...service
}: OrderDialogProps): [OnAction, ComponentChildren] {
  const { task, number, start, ...opening } = useDialog<{ action: Action; subject: Subject }>()
  const focusAfter = useFocusAfter(opening.open)
  const placed = useRef(new Set<bigint>()).current

  function begin(action: Action, subject: Subject): void {
    start({ action, subject })
    onStart()
  }

  if (!task) return [begin, undefined]
  function noteDone(sentence: string, order: Order): void {
    if (!task) return
    const { action, subject } = task
    focusAfter(action, subject.petId)
    onDone(sentence, action, order, undoOf(service.client, action, [order], placed))
  }
  return [
    begin,
    <OrderDialog key={number} {...{ ...service, ...task, ...opening, placed, onChange }} onDone={noteDone} />,
  ]
}

/**
 * After a sale the search field has the focus, for the next animal; otherwise the animal's link. Never a button, so
 * that pressing Enter again does nothing.
 */
function useFocusAfter(open: boolean): (action: Action, petId: bigint) => void {
  const done = useRef<[Action, bigint]>(undefined)
  useLayoutEffect(() => {
    if (open || !done.current) return
    const [action, petId] = done.current
    done.current = undefined
    const box = document.getElementById(SEARCH_ID)
    const own = document.querySelector<HTMLElement>(`[data-pet="${petId}"] :is(h1, .row-link)`)
    const next = action === 'sell' ? box : (own ?? box)
    next?.focus({ preventScroll: true })
  }, [open])
  return (action, petId) => {
    done.current = [action, petId]
  }
}
