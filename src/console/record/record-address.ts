// Which animal or order has the page to itself: `/?animal=12` or `/?order=7`. `/animals/12` and `/orders/7` lead there.

import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { parseInteger } from '../draft.ts'

export interface RecordId {
  kind: 'animal' | 'order'
  id: bigint
}

export function recordAddress({ kind, id }: RecordId): string {
  return `./?${kind}=${id}`
}

/** The record in the address, and what opens one; `undefined` goes back to the list. */
export function useRecord(): [RecordId | undefined, (record: RecordId | undefined) => void] {
  const [record, setRecord] = useState(fromAddress)
  useEffect(() => {
    const follow = () => setRecord(fromAddress())
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
  const open = useCallback((next: RecordId | undefined) => {
    if (next) history.pushState(null, '', recordAddress(next))
    setRecord(next)
  }, [])
  return [record, open]
}

function fromAddress(): RecordId | undefined {
  const query = new URLSearchParams(location.search)
  for (const kind of ['animal', 'order'] as const) {
    const id = parseInteger(query.get(kind) ?? '')
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

/** Opens a record without loading the page again. */
export const OpenRecord = createContext<(record: RecordId) => void>(() => undefined)

export function useRecordLink(record: RecordId) {
  const open = useContext(OpenRecord)
  return {
    href: recordAddress(record),
    onClick: (event: MouseEvent) => {
      // A click that asks for another tab or window stays the browser's.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      open(record)
    },
  }
}
