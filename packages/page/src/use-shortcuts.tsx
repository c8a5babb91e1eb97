// Handles the keys in shortcuts.ts, and shows the dialog that explains them. They can be turned off (WCAG 2.1.4).

import { Fragment } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { FormDialog, type Opening } from './parts/dialog.tsx'
import { useSessionState } from './session/session-state.ts'
import { ALL_SHORTCUTS, type ShortcutName } from './shortcuts.ts'

/** `undefined`: the browser or a dialog handles the key. */
type Actions = Record<ShortcutName, (() => unknown) | undefined>

export function useShortcuts(actions: Actions): [boolean, (enabled: boolean) => void] {
  const [enabled, setEnabled] = useSessionState('petstore.shortcuts', true)
  // A layout effect, because a later effect would let the next key run the previous page's actions.
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      const pressed = ALL_SHORTCUTS.find(([, { key, others }]) => key === event.key || others?.includes(event.key))
      const action = pressed && actions[pressed[0]]
      if (!action || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (document.querySelector('dialog[open]')) return
      const target = event.target as Element
      if (!enabled || target.matches('textarea, input:not([type="radio"], [type="checkbox"])')) return
      // The keys choose a value in these controls.
      if (/^(Arrow|[0-9a-z]$)/.test(event.key) && target.matches('select')) return
      if (/^(Arrow|[0-9])/.test(event.key) && target.matches('[type="radio"]')) return
      // The action moves the focus to the search field, which then receives the scanner's digits.
      if (pressed[0] !== 'scan') event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
  return [enabled, setEnabled]
}

interface ShortcutsDialogProps extends Opening {
  enabled: boolean
  setEnabled: (enabled: boolean) => void
}

export function ShortcutsDialog({ open, setOpen, enabled, setEnabled }: ShortcutsDialogProps) {
  return (
    <FormDialog id="shortcuts-title" title="Keyboard shortcuts" {...{ open, setOpen }}>
      <dl class="shortcuts">
        {ALL_SHORTCUTS.map(([name, { key, shown = key, meaning }]) => (
          <Fragment key={name}>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={enabled} onChange={() => setEnabled(!enabled)} />
        Use keyboard shortcuts
      </label>
    </FormDialog>
  )
}
