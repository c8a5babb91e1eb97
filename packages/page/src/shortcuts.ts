// The keys for people who use the page all day, and what the dialog says of each. store-view.tsx does it.

interface Shortcut {
  /** As `KeyboardEvent.key` says it. */
  readonly key: string
  /** Other keys that do the same. */
  readonly others?: readonly string[]
  /** What the dialog shows instead of `key`. */
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

/** In the order of the dialog. */
export const ALL_SHORTCUTS = Object.entries<Shortcut>(SHORTCUTS) as [ShortcutName, Shortcut][]
