// The state that the views of the store share: the address, the records, the list, and the message about the last
// action.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { addressOf, type Place, useAddress } from './address.ts'
import { toFailure } from './failures.ts'
import { type ShownList, useFirstPages, useList } from './list/list.ts'
import type { ListPosition } from './list/list-position.ts'
import { spokenSummary } from './list/list-words.ts'
import { useFocusBack } from './list/row-focus.ts'
import { useService } from './live/feed.ts'
import type { Undo } from './orders/undo.ts'
import { useOrderDialog } from './orders/use-order-dialog.tsx'
import { usePrinting } from './paper/use-printing.tsx'
import { useAnnounce } from './parts/announcer.tsx'
import { useBusy } from './parts/busy.ts'
import { Button } from './parts/button.tsx'
import { every } from './parts/listen.ts'
import { Notice } from './parts/notice.tsx'
import { useSelection } from './selection/use-selection.ts'
import { TITLES } from './top-bar.tsx'

export type Store = ReturnType<typeof useStore>

export function useStore(client: PetstoreClient, readOnly: boolean) {
  const service = useService(client)
  const { position, opened, go: open } = useAddress()
  const list = useList(service, { position, opened })
  const selecting = useSelection(list, service.records)
  const firstPages = useFirstPages(position)
  const { message, showMessage } = useMessage()
  const { printed, ...printing } = usePrinting(client, showMessage)
  /** Increases with each change that this tab makes. */
  const [changes, setChanges] = useState(0)
  const leave = useFocusBack(opened !== undefined)
  useSpokenList(list)

  function go(next: Place): void {
    showMessage('')
    if ('kind' in next) leave(addressOf(next))
    open(next)
  }

  function goBack(view: ListPosition['view']): void {
    go(position.view === view ? position : firstPages[view])
  }

  function noteChange(sentence: string, action?: ComponentChildren): void {
    showMessage(sentence, action)
    setChanges((before) => before + 1)
    list.refresh()
  }

  /** Offers to undo the change. If the response to that is lost, offers it again. */
  function noteUndoable(sentence: string, undo: Undo | undefined, more?: ComponentChildren): void {
    const failed = (why: string) => noteUndoable(`It is not undone yet. ${why}`, undo)
    const button = undo && <UndoButton key="undo" {...{ undo, failed }} done={noteChange} />
    noteChange(sentence, (more || button) && <div class="actions">{[more, button]}</div>)
  }

  const orderDialog = useOrderDialog({
    ...service,
    onStart: () => showMessage(''),
    onChange: list.refresh,
    onDone: (sentence, action, orders, undo) => {
      if (selecting.selection && orders.length > 1) selecting.end()
      noteUndoable(
        sentence,
        undo,
        action === 'sell' && (
          <Button key="receipt" text="Receipt" onClick={() => printing.printReceipt(orders.map(({ id }) => id))} />
        ),
      )
    },
  })
  const onAction = readOnly ? undefined : orderDialog.act
  const dialogs = [printed, orderDialog.dialog]
  const view = { position, opened, go, goBack, firstPages }
  return {
    ...view,
    service,
    readOnly,
    list,
    selecting,
    message,
    changes,
    noteChange,
    noteUndoable,
    onAction,
    actOnGroup: orderDialog.actOnGroup,
    printing,
    dialogs,
  }
}

interface UndoButtonProps {
  undo: Undo
  done: (sentence: string) => void
  failed: (why: string) => void
}

function UndoButton({ undo, done, failed }: UndoButtonProps) {
  const [busy, once] = useBusy()
  const run = () => once(() => undo().then(done, (error) => failed(toFailure(error).message)))
  return <Button text={busy ? 'Undoing…' : 'Undo'} aria-disabled={busy} onClick={run} />
}

const MESSAGE_MS = 10_000

interface MessageProps {
  title: string
  action?: ComponentChildren
  onClose: () => void
}

/** It disappears after a while, unless it has the pointer or the focus. */
function Message({ title, action, onClose }: MessageProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => every(MESSAGE_MS, () => element.current?.matches(':hover, :focus-within') || onClose()), [])
  return (
    <div ref={element}>
      <Notice kind="done" title={title} actions={action} onClose={onClose} />
    </div>
  )
}

/** The message about the last action, also announced. An empty sentence removes it. */
export function useMessage() {
  const announce = useAnnounce()
  const [shown, setShown] = useState<Omit<MessageProps, 'onClose'> & { number: number }>()
  const count = useRef(0)
  function showMessage(title: string, action?: ComponentChildren): void {
    setShown(title ? { title, action, number: ++count.current } : undefined)
    if (title) announce(title)
  }
  // A message that repeats is a new one.
  const message = shown && <Message key={shown.number} {...shown} onClose={() => setShown(undefined)} />
  return { message, showMessage }
}

/** Announces each new page of the list, and when the service responds again. */
function useSpokenList({ position, shown, failure }: ShownList): void {
  const announce = useAnnounce()
  const last = useRef<ListPosition>(undefined)
  useEffect(() => {
    if (shown?.position !== position || last.current === position) return
    // The heading announces the first page.
    if (last.current) announce(spokenSummary(shown, TITLES[position.view]))
    last.current = position
  }, [shown?.position, position])
  const failing = failure !== undefined
  const wasFailing = useRef(false)
  useEffect(() => {
    if (wasFailing.current && !failing) announce('Connected again.')
    wasFailing.current = failing
  }, [failing])
}
