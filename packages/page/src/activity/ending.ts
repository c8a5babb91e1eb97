// The reservations that end today: of all orders that are pending, those with an end before midnight.

import { useRef } from 'preact/hooks'
import type { Order, PetstoreClient } from '../../../client/src/petstore.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { useLoaded } from '../loaded.ts'
import type { Span } from './days.ts'

/** However much happens. */
const SOON_MS = 1_000

/** `undefined` until they have come, and without a day. */
export function useEnding(client: PetstoreClient, feed: Feed, day: Span | undefined): readonly Order[] | undefined {
  const { value, reload } = useLoaded(async (signal) => {
    if (!day) return undefined
    const ending: Order[] = []
    for await (const order of client.listOrders({ status: 'pending' }, { signal })) {
      if (order.expiresAt !== undefined && Date.parse(order.expiresAt) < Date.parse(day.to)) ending.push(order)
    }
    return ending
  }, [])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEvents(feed, (events, gap) => {
    if (!gap && events.every(({ orderId }) => orderId === undefined)) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reload()
    }, SOON_MS)
  })
  return value
}
