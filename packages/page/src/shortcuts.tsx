// Keys for people who use the page all day, and the dialog that explains them. WCAG 2.1.4: they can be turned off.

import { Fragment } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { FormDialog } from './parts/dialog.tsx'
import { useSessionState } from './session/session-state.ts'

const EXPLAINED = [
  ['/', 'Search'],
  ['0–9', 'Search for an id, as a scanner types it'],
  ['n', 'Add an animal'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['↵', 'Open the row'],
  ['x', 'Choose the row'],
  ['←', 'Previous page'],
  ['→', 'Next page'],
  ['Esc', 'Close'],
  ['?', 'Show these keys'],
] as const

/** `actions` has a function for each `KeyboardEvent.key`. */
export function useShortcuts(actions: Record<string, () => void>): [boolean, (enabled: boolean) => void] {
  const [enabled, setEnabled] = useSessionState('petstore.shortcuts', true)
  // Before the next key can be pressed: an effect would run later, with the actions of the page before.
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      const action = actions[event.key]
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('dialog[open]')) return
      const target = event.target as Element
      if (!enabled || target.matches('textarea, input:not([type="radio"], [type="checkbox"])')) return
      // There arrows and digits choose.
      if (/^(Arrow|[0-9])/.test(event.key) && target.matches('select, [type="radio"]')) return
      // A digit is typed where its action has brought the focus.
      if (!/^[0-9]$/.test(event.key)) event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
  return [enabled, setEnabled]
}

interface ShortcutsDialogProps {
  open: boolean
  setOpen: (open: boolean) => void
  enabled: boolean
  setEnabled: (enabled: boolean) => void
}

export function ShortcutsDialog({ open, setOpen, enabled, setEnabled }: ShortcutsDialogProps) {
  return (
    <FormDialog id="shortcuts-title" title="Keys" {...{ open, setOpen }}>
      <dl class="shortcuts">
        {EXPLAINED.map(([key, meaning]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={enabled} onChange={() => setEnabled(!enabled)} />
        Use these keys
      </label>
    </FormDialog>
  )
}
