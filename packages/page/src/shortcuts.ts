// Keyboard shortcuts, and how the dialog describes them.

interface Shortcut {
  readonly key: string
  readonly others?: readonly string[]
  /** The dialog shows it instead of `key`. */
  readonly shown?: string
  readonly meaning: string
}

export const SHORTCUTS = {
  search: { key: '/', meaning: 'Search' },
  scan: { key: '0', others: [...'123456789'], shown: '0–9', meaning: 'Search for an id, as a scanner types it' },
  add: { key: 'n', meaning: 'Add an animal' },
  nextRow: { key: 'j', others: ['ArrowDown'], meaning: 'Next row' },
  previousRow: { key: 'k', others: ['ArrowUp'], meaning: 'Previous row' },
  open: { key: 'Enter', shown: '↵', meaning: 'Open the row' },
  choose: { key: 'x', meaning: 'Select the row' },
  previousPage: { key: 'ArrowLeft', shown: '←', meaning: 'Previous page' },
  nextPage: { key: 'ArrowRight', shown: '→', meaning: 'Next page' },
  close: { key: 'Escape', shown: 'Esc', meaning: 'Close' },
  explain: { key: '?', meaning: 'Show the keyboard shortcuts' },
} as const satisfies Record<string, Shortcut>

export type ShortcutName = keyof typeof SHORTCUTS

export const ALL_SHORTCUTS = Object.entries<Shortcut>(SHORTCUTS) as [ShortcutName, Shortcut][]
