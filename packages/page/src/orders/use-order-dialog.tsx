// The current action on an animal: its dialog, and the focus after it.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Order } from '../../../client/src/petstore.ts'
import type { OnAction } from '../list/list-table.tsx'
import { SEARCH_ID } from '../list/search.tsx'
import type { Service } from '../live/feed.ts'
import { useDialog } from '../parts/dialog.tsx'
import { Part } from '../parts/part.tsx'
import type { Action, Subject } from './actions.ts'
import type { GroupAction, GroupStart } from './group.ts'
import { OrderDialog } from './order-dialog.tsx'
import { type Undo, undoOf } from './undo.ts'

interface OrderDialogProps extends Service {
  onStart: () => void
  /** This till or another one changed something. */
  onChange: () => void
  /** `orders` are as they were before the action. `undo`: undefined after a reservation. */
  onDone: (sentence: string, action: Action, orders: readonly Order[], undo: Undo | undefined) => void
}

type Task = { action: Action; subject: Subject; group?: undefined } | { action: Action; group: GroupStart }

export function useOrderDialog({ onStart, onChange, onDone, ...service }: OrderDialogProps) {
  const { task, number, start, ...opening } = useDialog<Task>()
  const focusAfter = useFocusAfter(opening.open)
  const placed = useRef(new Set<bigint>()).current

  function begin(task: Task): void {
    start(task)
    onStart()
  }

  function noteDone(sentence: string, orders: readonly Order[]): void {
    const [first] = orders
    if (!task || !first) return
    focusAfter(task.action, first.petId)
    onDone(sentence, task.action, orders, undoOf(service.client, task.action, orders, placed))
  }

  const act: OnAction = (action, subject) => begin({ action, subject })
  const actOnGroup = (action: GroupAction, subjects: readonly Subject[]) =>
    begin({ action, group: { action, subjects } })
  const shared = { ...service, ...opening, placed, onChange }
  const dialog: ComponentChildren = !task ? undefined : task.group ? (
    <Part
      key={number}
      load={() => import('./group-dialog.tsx')}
      show={({ GroupDialog }) => <GroupDialog {...{ ...shared, ...task.group }} onDone={noteDone} />}
    />
  ) : (
    <OrderDialog
      key={number}
      {...{ ...shared, ...task }}
      onMore={(begun, scan) => {
        const action = task.action as GroupAction
        start({ action, group: { action, subjects: [task.subject], begun, ...(scan && { scan }) } })
      }}
      onDone={(sentence, order) => noteDone(sentence, [order])}
    />
  )
  return { act, actOnGroup, dialog }
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
