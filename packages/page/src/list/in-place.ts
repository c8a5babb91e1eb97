// Keeps rows in place, so that no row moves just before a person presses it. Changes within a row show immediately;
// changes that would move rows, such as new or filtered-out rows, wait until the person asks for them.

import { useState } from 'preact/hooks'
import type { Page } from './list-position.ts'

/** Does not use Preact, so tests can call it directly. */
export class RowsInPlace {
  page: Page | undefined
  #read: Page | undefined
  #follows = false

  /** `isHidden`: another view hides the rows. */
  update(read: Page | undefined, isHidden: boolean): void {
    if (isHidden) this.page = undefined
    if (!read || (read === this.#read && this.page)) return
    const before = this.#follows ? undefined : this.page
    this.page = before?.position === read.position && isMoved(before, read) ? before : read
    this.#read = read
    this.#follows = false
  }

  /** Whether a change waits. */
  get waiting(): boolean {
    const { page } = this
    return page !== undefined && page.position === this.#read?.position && isMoved(page, this.#read)
  }

  /** Shows the waiting changes. With `next`, also shows the next page that is read. */
  show(next: boolean): void {
    this.#follows = next
    this.page = this.#read
  }
}

export interface InPlace extends Pick<RowsInPlace, 'page' | 'waiting'> {
  show: (next?: boolean) => void
}

export function useInPlace(read: Page | undefined, isHidden: boolean): InPlace {
  const [, setShows] = useState(0)
  const [rows] = useState(() => new RowsInPlace())
  // Updated during rendering, so that new rows need no second rendering.
  rows.update(read, isHidden)
  const { page, waiting } = rows
  function show(next = false): void {
    rows.show(next)
    setShows((before) => before + 1)
  }
  return { page, waiting, show }
}

function isMoved(before: Page, read: Page): boolean {
  return before.items.some(({ id }, at) => read.items[at]?.id !== id)
}
