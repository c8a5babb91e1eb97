// A modal dialog. Its first field, or its primary button, has the focus at first.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useScans } from '../scan.ts'
import { Button, Label } from './button.tsx'
import { CloseButton, Notice } from './notice.tsx'

export interface Opening {
  open: boolean
  setOpen: (open: boolean) => void
}

/** The task of a dialog. `number` is the key of the dialog, so that each opening is a new one. */
export function useDialog<Task>() {
  const [opening, setOpening] = useState<{ task: Task; number: number }>()
  const [open, setOpen] = useState(false)
  function start(task: Task): void {
    setOpening((before) => ({ task, number: (before?.number ?? 0) + 1 }))
    setOpen(true)
  }
  return { ...opening, open, setOpen, start }
}

interface DialogProps extends Opening {
  /** The id of the title; unique on the page. */
  id: string
  title: ComponentChildren
  wide?: boolean
  children: ComponentChildren
}

export function Dialog({ id, title, wide, open, setOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isScanned, setIsScanned] = useState(false)
  useScans(open, ({ remove }) => {
    remove()
    setIsScanned(true)
  })
  useLayoutEffect(() => {
    setIsScanned(false)
    if (!open) return dialog.current?.close()
    if (!dialog.current?.open) dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('input, .primary')?.focus()
  }, [open])
  // Gives the focus back, which removing an open dialog does not.
  useLayoutEffect(() => () => dialog.current?.close(), [])

  /** Runs a frame after the dialog closed, when it can be open again or removed. */
  function onClose(): void {
    if (dialog.current?.open === false) setOpen(false)
  }
  return (
    <dialog ref={dialog} class={wide ? 'wide' : undefined} aria-labelledby={id} onClose={onClose}>
      <div class="title-row">
        <h2 id={id} translate={false}>
          {title}
        </h2>
        <CloseButton onClose={() => setOpen(false)} />
      </div>
      {isScanned && (
        <div class="dialog-news">
          <Notice kind="warning" title="Close this window before you scan a code." />
        </div>
      )}
      {children}
    </dialog>
  )
}

interface FormDialogProps extends Pick<DialogProps, 'id' | 'title' | 'open' | 'setOpen' | 'children'> {
  submit?: () => void
  /** The label of the button that submits; `undefined` without one. */
  action?: string | undefined
  busy?: boolean
  danger?: boolean
  cancel?: string | undefined
  others?: ComponentChildren
}

export function FormDialog({ submit, action, busy, danger, cancel, others, children, ...dialog }: FormDialogProps) {
  function onSubmit(event: Event): void {
    event.preventDefault()
    submit?.()
  }
  return (
    <Dialog {...dialog}>
      <form onSubmit={onSubmit} noValidate>
        {children}
        <div class="dialog-actions">
          <Button
            text={action ? (cancel ?? 'Cancel') : 'Close'}
            class={action ? undefined : 'primary'}
            onClick={() => dialog.setOpen(false)}
          />
          {action && (
            <>
              {others}
              <button type="submit" class={danger ? 'danger' : 'primary'} aria-disabled={busy}>
                <Label text={action} />
              </button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}
