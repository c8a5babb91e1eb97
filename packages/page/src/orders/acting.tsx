// The current action on an animal: its dialog, and the focus after it.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OnAction } from '../list/list-table.tsx'
import { SEARCH_ID } from '../list/search.tsx'
import type { Service } from '../live/feed.ts'
import type { Action, Subject } from './actions.ts'
import { OrderDialog } from './order-dialog.tsx'

interface ActingProps extends Service {
  onStart: () => void
  /** This till or another one changed something. */
  onChange: () => void
  onDone: (sentence: string, action: Action, subject: Subject, orderId: bigint) => void
}

export function useActing({ client, feed, onStart, onChange, onDone }: ActingProps): [OnAction, ComponentChildren] {
  /** `number` gives each opening a new dialog. */
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
