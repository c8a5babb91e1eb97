// What has happened to an animal or an order, in words, newest first.

import type { Event, Order } from '../../../client/src/petstore.ts'
import { time } from '../phrases.ts'
import { changesIn, EventLine } from './event-line.tsx'
import { orderTerms } from './order-terms.ts'

interface HistoryProps {
  /** Oldest first. */
  events: readonly Event[]
  /** The orders that the events are about. */
  orders: readonly Order[]
}

export function History({ events, orders }: HistoryProps) {
  const newestFirst = events.toReversed()
  const { after, changes } = orderTerms(newestFirst, new Map(orders.map((order) => [order.id, order])))
  const edits = new Map([...changesIn(events), ...changes])
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol>
        {newestFirst.map((event) => (
          <EventLine
            key={String(event.id)}
            event={event}
            terms={after.get(event.id)}
            change={edits.get(event.id)}
            shownTime={time(event.at)}
          />
        ))}
      </ol>
    </section>
  )
}
