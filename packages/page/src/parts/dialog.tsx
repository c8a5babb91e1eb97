// A modal dialog with a title and a button that closes it; Esc closes it, too. What is to be filled in or confirmed has the focus at first.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { CloseButton } from './notice.tsx'

/** Whether a dialog is open. */
export interface Opening {
  open: boolean
  setOpen: (open: boolean) => void
}

interface DialogProps extends Opening {
  /** Of the title; unique on the page. */
  id: string
  title: ComponentChildren
  /** For a table. */
  wide?: boolean
  children: ComponentChildren
}

export function Dialog({ id, title, wide, open, setOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (!open) return dialog.current?.close()
    if (!dialog.current?.open) dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('input, .primary')?.focus()
  }, [open])

  /** Comes a frame after the closing, when the dialog may be open again. */
  function onClose(): void {
    if (!dialog.current?.open) setOpen(false)
  }
  return (
    <dialog ref={dialog} class={wide ? 'wide' : undefined} aria-labelledby={id} onClose={onClose}>
      <div class="title-row">
        <h2 id={id}>{title}</h2>
        <CloseButton onClose={() => setOpen(false)} />
      </div>
      {children}
    </dialog>
  )
}

interface FormDialogProps extends Pick<DialogProps, 'id' | 'title' | 'open' | 'setOpen' | 'children'> {
  submit?: () => void
  /** On the button that submits; `undefined` where there is nothing to submit. */
  action?: string | undefined
  busy?: boolean
  danger?: boolean
  /** On the button that closes it. */
  cancel?: string | undefined
  /** Buttons beside these two. */
  others?: ComponentChildren
}

/** What is filled in or confirmed. */
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
                {action}
              </button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}
