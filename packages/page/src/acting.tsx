// The action on an animal that is under way: its dialog, and where the focus is when it is done.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import type { Action, Subject } from './actions.ts'
import type { Shown } from './list.ts'
import type { OnAction } from './list-table.tsx'
import { LIST_ID } from './list-view.tsx'
import type { Feed } from './live/feed.ts'
import { OrderDialog } from './order-dialog.tsx'

interface ActingProps {
  client: PetstoreClient
  feed: Feed
  shown: Shown | undefined
  onStart: () => void
  /** Something has changed, by the action or by somebody else. */
  onChange: () => void
  onDone: (sentence: string, action: Action, subject: Subject) => void
}

/** What starts an action, and the dialog of the one that was started last. */
export function useActing({
  client,
  feed,
  shown,
  onStart,
  onChange,
  onDone,
}: ActingProps): [OnAction, ComponentChildren] {
  /** Each opening has a `number`, and so a dialog of its own. */
  const [task, setTask] = useState<{ action: Action; subject: Subject; number: number }>()
  const [open, setOpen] = useState(false)
  const keepFocus = useFocusKept(shown)

  function start(action: Action, subject: Subject): void {
    setTask({ action, subject, number: (task?.number ?? 0) + 1 })
    setOpen(true)
    onStart()
  }

  if (!task) return [start, undefined]
  const { action, subject, number } = task
  function noteDone(sentence: string): void {
    keepFocus(subject.petId)
    onDone(sentence, action, subject)
  }
  const dialog = (
    <OrderDialog key={number} {...{ client, feed, action, subject, open, setOpen, onChange }} onDone={noteDone} />
  )
  return [start, dialog]
}

/** Call the result with the animal that was acted on: its row stays in sight, and the focus in it or at least in the list. */
function useFocusKept(shown: Shown | undefined): (petId: bigint) => void {
  const moved = useRef<bigint | undefined>(undefined)
  useLayoutEffect(() => {
    if (moved.current === undefined) return
    const row = document.querySelector(`[data-pet="${moved.current}"]`)
    moved.current = undefined
    row?.scrollIntoView({ block: 'nearest' })
    // The button that was pressed may be gone with the animal's former status.
    const button = row?.querySelector<HTMLElement>('.actions button') ?? document.getElementById(LIST_ID)
    if (document.activeElement === document.body) button?.focus({ preventScroll: true })
  }, [shown])
  return (petId) => {
    moved.current = petId
  }
}
