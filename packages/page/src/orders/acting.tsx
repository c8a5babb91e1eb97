// The action on an animal that is under way: its dialog, and where the focus is when it is done.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OnAction } from '../list/list-table.tsx'
import { SEARCH_ID } from '../list/search.tsx'
import type { Service } from '../live/feed.ts'
import type { Action, Subject } from './actions.ts'
import { OrderDialog } from './order-dialog.tsx'

interface ActingProps extends Service {
  onStart: () => void
  /** Something has changed, by the action or by somebody else. */
  onChange: () => void
  onDone: (sentence: string, action: Action, subject: Subject, orderId: bigint) => void
}

/** What starts an action, and the dialog of the one that was started last. */
export function useActing({ client, feed, onStart, onChange, onDone }: ActingProps): [OnAction, ComponentChildren] {
  /** Each opening has a `number`, and so a dialog of its own. */
  const [task, setTask] = useState<{ action: Action; subject: Subject; number: number }>()
  const [open, setOpen] = useState(false)
  const focusAfter = useFocusAfter(open)
  const placed = useRef(new Set<bigint>()).current

  function start(action: Action, subject: Subject): void {
    setTask({ action, subject, number: (task?.number ?? 0) + 1 })
    setOpen(true)
    onStart()
  }

  if (!task) return [start, undefined]
  const { action, subject, number } = task
  function noteDone(sentence: string, orderId: bigint): void {
    focusAfter(action, subject.petId)
    onDone(sentence, action, subject, orderId)
  }
  const dialog = (
    <OrderDialog
      key={number}
      {...{ client, feed, action, subject, placed, open, setOpen, onChange }}
      onDone={noteDone}
    />
  )
  return [start, dialog]
}

/**
 * Call the result with what was done. After a sale the focus is in the box, for the next animal; otherwise on the animal's own link. Never on
 * a button: whoever presses Enter once more does nothing more.
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
