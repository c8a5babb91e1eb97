// What has happened to an animal or an order, in words, newest first.

import type { Order } from '../../../client/src/petstore.ts'
import type { Event } from '../live/events.ts'
import { time } from '../phrases.ts'
import { changesIn, EventLine } from './event-line.tsx'

interface HistoryProps {
  /** Oldest first. */
  events: readonly Event[]
  /** The orders that the events are about. */
  orders: readonly Order[]
}

export function History({ events, orders }: HistoryProps) {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const changes = changesIn(events)
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol>
        {events.toReversed().map((event) => (
          <EventLine
            key={String(event.id)}
            event={event}
            order={event.orderId === undefined ? undefined : byId.get(event.orderId)}
            change={changes.get(event.id)}
            shownTime={time(event.at)}
          />
        ))}
      </ol>
    </section>
  )
}
