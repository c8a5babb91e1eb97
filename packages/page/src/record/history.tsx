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
  /** No event says for whom and until when an order was before it was edited. */
  const orderOf = ({ id, orderId }: Event) => {
    const isEdited = events.some(
      (later) => later.type === 'order.changed' && later.orderId === orderId && later.id > id,
    )
    return orderId === undefined || isEdited ? undefined : byId.get(orderId)
  }
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol>
        {events.toReversed().map((event) => (
          <EventLine
            key={String(event.id)}
            event={event}
            order={orderOf(event)}
            change={changes.get(event.id)}
            shownTime={time(event.at)}
          />
        ))}
      </ol>
    </section>
  )
}
