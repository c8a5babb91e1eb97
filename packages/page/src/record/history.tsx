// What has happened to an animal or an order, in words, newest first.

import type { Order } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import type { Event } from '../live/events.ts'
import { Name } from '../name.tsx'
import { brief, time } from '../phrases.ts'
import { labelOf, STATUSES } from '../statuses.ts'
import { plain } from '../visible-text.ts'
import { RecordLink } from './record-link.tsx'

const WORDS: Record<EventType, string> = {
  'pet.added': 'Added',
  'pet.changed': 'Changed',
  'pet.deleted': 'Deleted',
  'order.placed': 'Reserved',
  'order.changed': 'Reservation changed',
  'order.completed': 'Sold',
  'order.cancelled': 'Released',
  'order.expired': 'Reservation ended',
  'order.returned': 'Taken back',
}

interface HistoryProps {
  /** Oldest first. */
  events: readonly Event[]
  /** The orders that the events are about, as far as they are known. */
  orders: readonly Order[]
  title?: string
  /** They are about several animals: each names its own. */
  animals?: boolean
}

export function History({ events, orders, title = 'History', animals }: HistoryProps) {
  const byId = new Map(orders.map((order) => [order.id, order]))
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">{title}</h2>
      {events.length === 0 && <p class="muted">None.</p>}
      <ol>
        {events.toReversed().map((event) => (
          <li key={String(event.id)}>
            <time dateTime={event.at} class="muted">
              {time(event.at)}
            </time>
            <span>
              {animals && <AnimalLink event={event} order={byId.get(event.orderId ?? 0n)} />}
              {sentence(event, event.orderId === undefined ? undefined : byId.get(event.orderId))}
              {event.by && <span class="muted"> — {plain(event.by)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function AnimalLink({ event: { petId, pet }, order }: { event: Event; order: Order | undefined }) {
  const name = pet?.name ?? order?.petName
  return (
    <>
      <RecordLink kind="animal" id={petId}>
        {name === undefined ? `Animal ${petId}` : <Name name={name} />}
      </RecordLink>{' '}
    </>
  )
}

function sentence({ type, pet, petStatus }: Event, order: Order | undefined): string {
  // A later service may tell of more.
  const words = WORDS[type as EventType] ?? type
  if (type === 'pet.added' && petStatus && petStatus !== 'available') {
    return `${words} as ${labelOf(STATUSES, petStatus).toLowerCase()}`
  }
  if (type === 'pet.changed' && pet) return `${words}: ${brief(pet.name)}, category ${pet.categoryId}`
  const whom = order?.reference ? ` for ${brief(order.reference)}` : ''
  const until = type === 'order.placed' && order?.expiresAt ? ` until ${time(order.expiresAt)}` : ''
  return words + whom + until
}
