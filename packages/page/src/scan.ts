// Recognizes scans, wherever the focus is: a scanner types faster than a person, and ends with Enter.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { type RecordId, recordIn } from './address.ts'
import { listen } from './parts/listen.ts'

/** The longest time between two keys of a scanner. */
const SCAN_MS = 40
const LENGTH_MIN = 2

type Key = Pick<KeyboardEvent, 'key' | 'timeStamp' | 'repeat' | 'isComposing' | 'ctrlKey' | 'metaKey' | 'altKey'>

export class ScanReader {
  #text = ''
  #at = Number.NEGATIVE_INFINITY

  /** Returns the scanned characters if this is the Enter after them. */
  press({ key, timeStamp, repeat, isComposing, ctrlKey, metaKey, altKey }: Key): string | undefined {
    if (key === 'Shift') return undefined
    const before = timeStamp - this.#at <= SCAN_MS ? this.#text : ''
    this.#at = timeStamp
    this.#text = ''
    if (repeat || isComposing || ctrlKey || metaKey || altKey) return undefined
    if (key === 'Enter') return before.length < LENGTH_MIN ? undefined : before
    if (key.length === 1) this.#text = before + key
    return undefined
  }
}

export interface Scan {
  record: RecordId
  /** The field that received the characters. */
  field: HTMLInputElement | undefined
  /** Removes the characters from the field. */
  remove: () => void
}

type Handler = (scan: Scan) => void

/** The last one receives each scan: the page, or the dialog that is open. */
const handlers: Handler[] = []

export function useScans(isActive: boolean, handle: Handler): void {
  const latest = useRef(handle)
  latest.current = handle
  useLayoutEffect(() => {
    if (!isActive) return
    const own: Handler = (scan) => latest.current(scan)
    handlers.push(own)
    return () => void handlers.splice(handlers.indexOf(own), 1)
  }, [isActive])
}

/** Other text that arrives as fast, such as a receipt number with letters, is typed as usual. */
export function useScanner(): void {
  useLayoutEffect(() => {
    const reader = new ScanReader()
    function press(event: Event): void {
      const text = reader.press(event as KeyboardEvent)
      const record = text === undefined ? undefined : recordIn(text)
      const handle = handlers.at(-1)
      if (text === undefined || !record || !handle) return
      event.preventDefault()
      event.stopPropagation()
      // A shortcut may have moved the focus to the search field, which then lacks the first characters.
      const active = document.activeElement
      const field = active instanceof HTMLInputElement ? active : undefined
      handle({ record, field, remove: () => field && removeTyped(field, text) })
    }
    return listen(window, 'keydown', press, true)
  }, [])
}

/** Removes the end of `text` that is before the cursor. */
function removeTyped(field: HTMLInputElement, text: string): void {
  const end = field.selectionEnd ?? 0
  const before = field.value.slice(0, end)
  const typed = Array.from(text, (_, from) => text.slice(from)).find((part) => before.endsWith(part))
  if (!typed) return
  field.setRangeText('', end - typed.length, end, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
