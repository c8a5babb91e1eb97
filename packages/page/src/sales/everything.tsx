// Everything that happened on a day, newest first, with a filter by type.

import type { ComponentChildren } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { Event } from '../../../client/src/petstore.ts'
import { EVENT_NAMES } from '../animal/status-labels.ts'
import { OrderLink, Places, RecordLink } from '../links.tsx'
import { useAnnounce } from '../parts/announcer.tsx'
import { Name } from '../parts/name.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { EventLine } from '../record/event-line.tsx'
import { orderTerms } from '../record/order-terms.ts'
import { type DayEvents, TYPES } from './day-events.ts'
import type { Details } from './details.ts'
import { clockOn, count } from './sales.ts'
import type { SalesPosition } from './sales-address.ts'

interface EverythingProps {
  position: SalesPosition
  day: string
  events: DayEvents
  /** Newest first. */
  shown: readonly Event[]
  details: Details
  children: ComponentChildren
}

export function Everything({ position, day, events, shown, details, children }: EverythingProps) {
  const { go } = useContext(Places)
  const announce = useAnnounce()
  const { type } = position
  const total = count(events, type ? [type] : TYPES)
  const title = type ? EVENT_NAMES[type] : 'All'
  // Later events are not announced.
  useEffect(() => void (total && announce(`${title}: ${total}`)), [type, total === undefined])
  return (
    <section class="history day" aria-labelledby="everything" aria-busy={total === undefined}>
      <h2 id="everything">Everything that happened</h2>
      <RadioGroup
        legend="What"
        name="what"
        options={[['all', 'All'], ...TYPES.map((kind) => [kind, EVENT_NAMES[kind]] as const)]}
        counts={Object.fromEntries([
          ['all', count(events, TYPES)],
          ...TYPES.map((kind) => [kind, count(events, [kind])]),
        ])}
        value={type ?? 'all'}
        onChange={(value) => go({ ...position, type: value === 'all' ? undefined : value })}
      />
      {total === '0' && <p class="muted">None.</p>}
      {shown.length > 0 && <Lines {...{ day, events, shown, details }} />}
      {children}
    </section>
  )
}

function Lines({ day, events, shown, details }: Pick<EverythingProps, 'day' | 'events' | 'shown' | 'details'>) {
  const { after, changes } = orderTerms(events.of(...TYPES), details.orders)
  return (
    <ol>
      {shown.map((event) => {
        const order = event.orderId === undefined ? undefined : details.orders.get(event.orderId)
        const name = order?.petName ?? event.pet?.name ?? details.names.get(event.petId)
        return (
          <EventLine
            key={String(event.id)}
            event={event}
            terms={after.get(event.id)}
            change={changes.get(event.id) ?? details.changes.get(event.id)}
            shownTime={clockOn(day, event.at)}
          >
            <RecordLink
              kind="animal"
              id={event.petId}
              text={name === undefined ? `Animal ${event.petId}` : <Name name={name} />}
            />
            {' · '}
            {event.orderId !== undefined && [<OrderLink key="order" id={event.orderId} />, ' · ']}
          </EventLine>
        )
      })}
    </ol>
  )
}
