// Addresses of records and of the sales: `/?animal=12`, `/?order=7` or `/?view=sales`. The service redirects
// `/animals/12` and `/orders/7` to them.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { parseInteger } from '../animal/fields.ts'
import { listen } from '../parts/listen.ts'
import { type SalesPosition, salesAddress, salesFrom } from '../sales/sales-address.ts'

export interface RecordId {
  kind: 'animal' | 'order'
  id: bigint
}

/** A view that is shown instead of a list. */
export type Opened = RecordId | SalesPosition

export function openedAddress(opened: Opened): string {
  return opened.kind === 'sales' ? salesAddress(opened) : `./?${opened.kind}=${opened.id}`
}

/** The view in the address, and the function that opens one; `undefined` returns to the list. */
export function useOpened(): [Opened | undefined, (opened: Opened | undefined) => void] {
  const [opened, setOpened] = useState(fromAddress)
  useEffect(() => listen(window, 'popstate', () => setOpened(fromAddress())), [])
  const open = useCallback((next: Opened | undefined) => {
    if (next) history.pushState(null, '', openedAddress(next))
    setOpened(next)
  }, [])
  return [opened, open]
}

function fromAddress(): Opened | undefined {
  const query = new URLSearchParams(location.search)
  const sales = salesFrom(query)
  if (sales) return sales
  for (const kind of ['animal', 'order'] as const) {
    const id = parseInteger(query.get(kind) ?? '')
    if (id !== undefined) return { kind, id }
  }
  return undefined
}
