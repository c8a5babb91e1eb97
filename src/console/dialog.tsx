// A modal dialog with a title and a button that closes it; Esc closes it, too.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'

interface DialogProps {
  /** Of the title; unique on the page. */
  id: string
  title: ComponentChildren
  open: boolean
  setOpen: (open: boolean) => void
  children: ComponentChildren
}

export function Dialog({ id, title, open, setOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (!open) dialog.current?.close()
    else if (!dialog.current?.open) dialog.current?.showModal()
  }, [open])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => setOpen(false)}>
      <div class="title-row">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" title="Close" onClick={() => setOpen(false)}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
