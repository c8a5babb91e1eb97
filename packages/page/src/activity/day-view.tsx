// One day's events: the numbers of each kind and of each key to choose from, and the lines of what is chosen.

import { useContext, useEffect, useState } from 'preact/hooks'
import type { Event, Order, OrderTerms } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { OrderLink, Places, RecordLink } from '../links.tsx'
import { useAnnounce } from '../parts/announcer.tsx'
import { Name } from '../parts/name.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { RetryNotice } from '../parts/retry-notice.tsx'
import { plain } from '../parts/visible-text.ts'
import { clock, number, terms } from '../phrases.ts'
import { EVENT_NAMES, EventLine } from '../record/event-line.tsx'
import { orderTerms } from '../record/order-terms.ts'
import type { ActivityPosition } from './activity-address.ts'
import { type DayEvents, useDayEvents } from './day-events.ts'
import type { Span } from './days.ts'
import { type Details, type Service, useDetails } from './details.ts'
import { useEnding } from './ending.ts'
import { KINDS, type Kind } from './kinds.ts'

/** A delivery has any number of animals: they are read as far as somebody asks. All else is read to the end. */
const DELIVERIES: readonly EventType[] = ['pet.added']
const ACTS = (Object.keys(EVENT_NAMES) as EventType[]).filter((type) => !DELIVERIES.includes(type))
const LINES = 100

interface DayViewProps extends Service {
  position: ActivityPosition
  span: Span
  isToday: boolean
}

export function DayView({ position, span, isToday, ...service }: DayViewProps) {
  const { go } = useContext(Places)
  const [countingAll, setCountingAll] = useState(false)
  const [lines, setLines] = useState(LINES)
  const acts = useDayEvents({ ...service, span }, ACTS, true)
  const added = useDayEvents({ ...service, span }, DELIVERIES, countingAll)
  const ending = useEnding(service.client, service.feed, isToday ? span : undefined)
  const { type, by } = position
  const readings = type === 'pet.added' ? [added] : type ? [acts] : [acts, added]
  const events = readings.flatMap(({ events }) => events).filter((event) => !type || event.type === type)
  const whole = readings.every(({ whole }) => whole)
  const chosen = by === undefined ? events : events.filter((event) => (event.by ?? '') === by)
  const reached = newestFirst(chosen, readings)
  const shown = reached.slice(0, lines)
  const details = useDetails(service, shown)
  const { after, changes } = orderTerms(acts.events, details.orders)
  const title = type ? KINDS[type] : 'All'
  const total = type === 'ending' ? number(ending?.length ?? 0) : count(chosen.length, whole)
  const announce = useAnnounce()
  // What happens meanwhile is not read aloud.
  useEffect(() => announce(`${title}: ${total}`), [type, by, acts.whole])
  const failed = [acts, added].find(({ failure }) => failure)
  const counted = (kind: Kind) =>
    kind === 'ending'
      ? ending && number(ending.length)
      : count(...countOf(DELIVERIES.includes(kind as EventType) ? added : acts, kind))
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => kind !== 'ending' || isToday)
  return (
    <>
      {failed?.failure && (
        <RetryNotice failure={failed.failure} reload={failed.reload} title="Not all of this day could be read." />
      )}
      <RadioGroup
        legend="What"
        name="what"
        options={[['all', 'All'], ...kinds.map((kind) => [kind, KINDS[kind]] as const)]}
        counts={Object.fromEntries([
          ['all', count(acts.events.length + added.events.length, acts.whole && added.whole)],
          ...kinds.map((kind) => [kind, counted(kind)]),
        ])}
        value={type ?? 'all'}
        onChange={(value) => go({ ...position, type: value === 'all' ? undefined : value })}
      />
      {type !== 'ending' && <Keys {...{ position, events, whole }} />}
      <section
        class="history day"
        aria-labelledby="history"
        aria-busy={!whole && (type !== 'pet.added' || countingAll)}
      >
        <div class="title-row">
          <h2 id="history">
            {title}: {total}
          </h2>
          {type !== 'ending' && !added.whole && (!type || type === 'pet.added') && (
            <button type="button" aria-disabled={countingAll} onClick={() => setCountingAll(true)}>
              {countingAll ? 'Counting…' : 'Count all'}
            </button>
          )}
        </div>
        {type === 'ending' ? (
          <Ending orders={ending} />
        ) : (
          <Lines {...{ details, after, changes, whole }} events={shown} />
        )}
        {reached.length > lines && (
          <button type="button" onClick={() => setLines(lines + LINES)}>
            Show {number(Math.min(LINES, reached.length - lines))} more
          </button>
        )}
      </section>
    </>
  )
}

/** Down to where each reading has come: what is older may stand between what is not yet read. */
function newestFirst(events: readonly Event[], readings: readonly DayEvents[]): readonly Event[] {
  const open = readings.filter(({ whole }) => !whole).map(({ events }) => events.at(-1)?.id)
  const reached = events.filter((event) => open.every((id) => id !== undefined && event.id >= id))
  return readings.length > 1 ? reached.sort((a, b) => (a.id > b.id ? -1 : 1)) : reached
}

function countOf({ events, whole }: DayEvents, kind: Kind): [number, boolean] {
  return [events.filter(({ type }) => type === kind).length, whole]
}

/** "230", or "200+" where there may be more. */
function count(found: number, whole: boolean): string {
  return `${number(found)}${whole ? '' : '+'}`
}

interface KeysProps extends Pick<DayEvents, 'events' | 'whole'> {
  position: ActivityPosition
}

/** By which keys it was done, where there was more than one. */
function Keys({ position, events, whole }: KeysProps) {
  const { go } = useContext(Places)
  const counts = new Map<string, number>()
  if (position.by !== undefined) counts.set(position.by, 0)
  for (const { by = '' } of events) counts.set(by, (counts.get(by) ?? 0) + 1)
  if (counts.size < 2 && position.by === undefined) return null
  const keys = [...counts].sort(([, a], [, b]) => b - a)
  return (
    <RadioGroup
      legend="By whom"
      name="by"
      options={[['all', 'Everybody'], ...keys.map(([by]) => [`=${by}`, by ? plain(by) : 'The service'] as const)]}
      counts={Object.fromEntries([
        ['all', count(events.length, whole)],
        ...keys.map(([by, found]) => [`=${by}`, count(found, whole)]),
      ])}
      value={position.by === undefined ? 'all' : `=${position.by}`}
      onChange={(value) => go({ ...position, by: value === 'all' ? undefined : value.slice(1) })}
    />
  )
}

interface LinesProps extends Pick<Details, 'changes'>, Pick<DayEvents, 'events' | 'whole'> {
  details: Details
  /** The terms of the order right after each event. */
  after: ReadonlyMap<bigint, OrderTerms>
}

function Lines({ events, whole, details, after, changes }: LinesProps) {
  if (events.length === 0) return whole && <p class="muted">None.</p>
  return (
    <ol>
      {events.map((event) => {
        const order = event.orderId === undefined ? undefined : details.orders.get(event.orderId)
        const name = order?.petName ?? event.pet?.name ?? details.names.get(event.petId)
        return (
          <EventLine
            key={String(event.id)}
            event={event}
            terms={after.get(event.id)}
            change={changes.get(event.id) ?? details.changes.get(event.id)}
            shownTime={clock(event.at)}
          >
            <RecordLink kind="animal" id={event.petId}>
              {name === undefined ? `Animal ${event.petId}` : <Name name={name} />}
            </RecordLink>
            {' · '}
            {event.orderId !== undefined && (
              <>
                <OrderLink id={event.orderId} />
                {' · '}
              </>
            )}
          </EventLine>
        )
      })}
    </ol>
  )
}

function Ending({ orders }: { orders: readonly Order[] | undefined }) {
  if (!orders) return null
  if (orders.length === 0) return <p class="muted">None.</p>
  return (
    <ol>
      {orders.map((order) => (
        <li key={String(order.id)}>
          <OrderLink id={order.id} />
          <span>
            <RecordLink kind="animal" id={order.petId}>
              <Name name={order.petName} />
            </RecordLink>
            {terms(order)}
          </span>
        </li>
      ))}
    </ol>
  )
}
