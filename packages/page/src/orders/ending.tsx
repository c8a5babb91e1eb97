// The reservations that end today, read when the person opens them. All pending orders are read once; after that, only
// orders that change.

import { useRef, useState } from 'preact/hooks'
import type { Order } from '../../../client/src/petstore.ts'
import { dayOf, spanOf } from '../../../files/src/local-time.ts'
import { firstPageOf } from '../list/list-position.ts'
import { ListTable, type OnAction } from '../list/list-table.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { now } from '../parts/clock.ts'
import { concurrently } from '../parts/concurrently.ts'
import { useLoaded } from '../parts/loaded.ts'
import { RetryNotice } from '../parts/notice.tsx'

type EndingProps = Service & { onAction: OnAction | undefined }

export function EndingToday(props: EndingProps) {
  const [open, setOpen] = useState(false)
  return (
    <details class="ending" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Reservations ending today</summary>
      {open && <Ending {...props} />}
    </details>
  )
}

function Ending({ client, feed, onAction }: EndingProps) {
  const known = useRef({ whole: false, ending: new Map<bigint, Order>(), changed: new Set<bigint>() }).current
  const { value, failure, refresh, reload } = useLoaded(async (signal) => {
    const { ending, changed } = known
    const midnight = Date.parse(spanOf(dayOf(now())).to)
    const note = (order: Order) => {
      const ends = order.status === 'pending' && Date.parse(order.expiresAt ?? '') < midnight
      if (ends) ending.set(order.id, order)
      else ending.delete(order.id)
    }
    if (!known.whole) {
      ending.clear()
      for await (const order of client.listOrders({ status: 'pending' }, { signal })) note(order)
      known.whole = true
    }
    await concurrently([...changed], async (id) => {
      // A change that arrives during the request reads the order again.
      changed.delete(id)
      note(await client.getOrder(id, { signal }).catch((error) => changed.add(id) && Promise.reject(error)))
    })
    return [...ending.values()].sort((a, b) => Date.parse(a.expiresAt ?? '') - Date.parse(b.expiresAt ?? ''))
  }, [])
  useEvents(feed, (events, gap) => {
    if (gap) known.whole = false
    for (const { orderId } of events) if (orderId !== undefined) known.changed.add(orderId)
    if (gap || known.changed.size > 0) refresh()
  })
  const shown = { position: firstPageOf('orders'), items: value ?? [], next: undefined, prev: undefined }
  return (
    <>
      {failure && <RetryNotice {...{ failure, reload }} title="Not all reservations could be read." />}
      {value && (value.length > 0 ? <ListTable {...{ shown, onAction }} /> : <p class="muted">None.</p>)}
    </>
  )
}
