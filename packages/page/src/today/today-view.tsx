// Today: how much was sold, reserved, taken back and added, what ends and what has ended. Each number leads to what it counts.

import { useState } from 'preact/hooks'
import type { Order, PetstoreClient } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { Heading } from '../heading.tsx'
import type { ReadEvents } from '../live/events.ts'
import type { Feed } from '../live/feed.ts'
import { Name } from '../name.tsx'
import { number, terms } from '../phrases.ts'
import { History } from '../record/history.tsx'
import { OrderLink } from '../record/record-link.tsx'
import { RetryNotice } from '../retry-notice.tsx'
import { type Today, useToday } from './today-events.ts'

const COUNTED = {
  'order.completed': 'Sold',
  'order.placed': 'Reserved',
  'order.returned': 'Taken back',
  'pet.added': 'Added',
  ending: 'Ends today',
  'order.expired': 'Expired',
} as const satisfies Partial<Record<EventType | 'ending', string>>
type Counted = keyof typeof COUNTED

interface TodayViewProps {
  client: PetstoreClient
  readEvents: ReadEvents
  feed: Feed
}

export function TodayView({ client, readEvents, feed }: TodayViewProps) {
  const { today, failure, reload } = useToday(client, readEvents, feed)
  const [chosen, setChosen] = useState<Counted>('order.completed')
  return (
    <>
      <Heading>Today</Heading>
      {failure && <RetryNotice {...{ failure, reload }} title="Today could not be counted." />}
      <div class="today" aria-busy={!today}>
        {(Object.keys(COUNTED) as Counted[]).map((counted) => (
          <button key={counted} type="button" aria-pressed={counted === chosen} onClick={() => setChosen(counted)}>
            <strong>{today ? count(today, counted) : '…'}</strong>
            {COUNTED[counted]}
          </button>
        ))}
      </div>
      {today && chosen === 'ending' && <Ending orders={today.ending} />}
      {today && chosen !== 'ending' && (
        <History
          title={COUNTED[chosen]}
          animals
          events={today.events.filter(({ type }) => type === chosen)}
          orders={today.orders}
        />
      )}
    </>
  )
}

function count(today: Today, counted: Counted): string {
  const [found, more] =
    counted === 'ending'
      ? [today.ending.length, today.moreEnding]
      : [today.events.filter(({ type }) => type === counted).length, today.moreEvents]
  return `${more ? 'more than ' : ''}${number(found)}`
}

function Ending({ orders }: { orders: readonly Order[] }) {
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">{COUNTED.ending}</h2>
      {orders.length === 0 && <p class="muted">None.</p>}
      <ol>
        {orders.map((order) => (
          <li key={String(order.id)}>
            <OrderLink id={order.id} />
            <span>
              <Name name={order.petName} />
              {terms(order)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
