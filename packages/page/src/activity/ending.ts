// The reservations that end today. All that are pending are read once; after that, each order to which something happens.

import { useRef } from 'preact/hooks'
import type { Order, PetstoreClient } from '../../../client/src/petstore.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { eachOf } from '../parts/each-of.ts'
import { useLoaded } from '../parts/loaded.ts'
import type { Span } from './days.ts'

/** `undefined` until they have come, and without a day. */
export function useEnding(client: PetstoreClient, feed: Feed, day: Span | undefined): readonly Order[] | undefined {
  const known = useRef({ whole: false, ending: new Map<bigint, Order>(), changed: new Set<bigint>() }).current
  const { value, refresh } = useLoaded(async (signal) => {
    if (!day) return undefined
    const { ending, changed } = known
    const note = (order: Order) => {
      const ends = order.status === 'pending' && Date.parse(order.expiresAt ?? '') < Date.parse(day.to)
      if (ends) ending.set(order.id, order)
      else ending.delete(order.id)
    }
    if (!known.whole) {
      ending.clear()
      for await (const order of client.listOrders({ status: 'pending' }, { signal })) note(order)
      known.whole = true
    }
    await eachOf([...changed], async (id) => {
      // What happens to it meanwhile is read again.
      changed.delete(id)
      note(await client.getOrder(id, { signal }).catch((error) => changed.add(id) && Promise.reject(error)))
    })
    return [...ending.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }, [])
  useEvents(feed, (events, gap) => {
    if (gap) known.whole = false
    for (const { orderId } of events) if (orderId !== undefined) known.changed.add(orderId)
    if (gap || known.changed.size > 0) refresh()
  })
  return value
}
