// The reservations that end today, read when the person opens them. The records follow their changes.

import { useState } from 'preact/hooks'
import type { Order } from '../../../client/src/petstore.ts'
import { spanOf } from '../../../files/src/local-time.ts'
import { firstPageOf } from '../list/list-position.ts'
import { ListTable, type OnAction } from '../list/list-table.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { today } from '../parts/clock.ts'
import { useLoaded } from '../parts/loaded.ts'
import { RetryNotice } from '../parts/notice.tsx'

type EndingProps = Service & { onAction: OnAction | undefined }

export function EndingToday(props: EndingProps) {
  const [open, setOpen] = useState(false)
  return (
    <details class="ending" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Reservations ending today</summary>
      {open && <EndingList {...props} />}
    </details>
  )
}

function EndingList({ onAction, ...service }: EndingProps) {
  const { ending, failure, reload } = useEnding(service)
  const shown = { position: firstPageOf('orders'), items: ending ?? [], next: undefined, prev: undefined }
  return (
    <>
      {failure && <RetryNotice {...{ failure, reload }} title="Not all reservations could be read." />}
      {ending?.length === 0 && <p class="muted">None.</p>}
      {shown.items.length > 0 && (
        <ListTable {...{ shown, onAction }} records={service.records} label="Reservations ending today" />
      )}
    </>
  )
}

/** `ending`: the first to end first; `undefined` until they are read. They are read again at midnight. */
export function useEnding({ client, feed, records }: Service) {
  const midnight = Date.parse(spanOf(today.value).to)
  const endsToday = ({ status, expiresAt }: Order) => status === 'pending' && Date.parse(expiresAt ?? '') < midnight
  async function readEnding(signal: AbortSignal): Promise<Order[]> {
    const ending: Order[] = []
    for await (const order of client.listOrders({ status: 'pending' }, { signal })) {
      if (endsToday(order)) ending.push(order)
    }
    return ending
  }
  const { value, failure, refresh, reload } = useLoaded(
    (signal) => records.read(readEnding(signal), (orders) => records.keep(orders)),
    [midnight],
  )
  // Events of earlier versions lack the terms.
  useEvents(feed, (events, gap) => {
    if (gap || events.some(({ orderId, terms }) => orderId !== undefined && !terms)) refresh()
  })
  const ending = records.orders().filter(endsToday)
  ending.sort((a, b) => Date.parse(a.expiresAt ?? '') - Date.parse(b.expiresAt ?? ''))
  return { ending: value && ending, failure, reload }
}
