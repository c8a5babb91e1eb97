// Everything that happened on a day, newest first, with a filter by type.

import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Event, EventFilter, PetstoreClient } from '../../../client/src/petstore.ts'
import type { SalesPosition } from '../address.ts'
import { EVENT_NAMES } from '../animal/status-labels.ts'
import { OrderLink, Places, RecordLink } from '../links.tsx'
import type { Records } from '../live/records.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { Button } from '../parts/button.tsx'
import { concurrently } from '../parts/concurrently.ts'
import { useLoaded } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { EventLine } from '../record/event-line.tsx'
import { changesIn, readAll } from '../record/history.ts'
import { TYPES } from './day-log.ts'
import { clockOn } from './sales.ts'

interface DayActivityProps {
  client: PetstoreClient
  records: Records
  position: SalesPosition
  day: string
  /** Newest first; `undefined` until they have loaded. */
  lines: readonly Event[] | undefined
  /** `undefined` if there are no more lines. */
  showMore: (() => void) | undefined
}

export function DayActivity({ client, records, position, day, lines, showMore }: DayActivityProps) {
  const { go } = useContext(Places)
  const announce = useAnnounce()
  const { type } = position
  const title = type ? EVENT_NAMES[type] : 'All'
  // Later events are not announced.
  useEffect(() => {
    if (lines) announce(`${title}: ${lines.length}${showMore ? ' or more' : ''}`)
  }, [type, lines === undefined])
  return (
    <section class="history day" aria-labelledby="activity" aria-busy={!lines}>
      <h2 id="activity">Everything that happened</h2>
      <RadioGroup
        legend="What"
        name="what"
        options={[['all', 'All'], ...TYPES.map((kind) => [kind, EVENT_NAMES[kind]] as const)]}
        value={type ?? 'all'}
        onChange={(value) => go({ ...position, type: value === 'all' ? undefined : value })}
      />
      {lines?.length === 0 && <p class="muted">None.</p>}
      {lines && lines.length > 0 && <Lines {...{ client, records, day, lines }} />}
      {showMore && <Button text="Show more" onClick={showMore} />}
    </section>
  )
}

interface LinesProps extends Pick<DayActivityProps, 'client' | 'records' | 'day'> {
  lines: readonly Event[]
}

function Lines({ client, records, day, lines }: LinesProps) {
  const { changes, names } = useHistories(client, lines)
  return (
    <ol>
      {lines.map((event) => {
        const { id, petId, pet, orderId, at } = event
        const order = orderId === undefined ? undefined : records.order(orderId)
        const name = pet?.name ?? order?.petName ?? names.get(petId)
        return (
          <EventLine key={String(id)} event={event} change={changes.get(id)} shownTime={clockOn(day, at)}>
            <RecordLink kind="animal" id={petId} text={name === undefined ? `Animal ${petId}` : <Name name={name} />} />
            {' · '}
            {orderId !== undefined && [<OrderLink key="order" id={orderId} />, ' · ']}
          </EventLine>
        )
      })}
    </ol>
  )
}

/** The edits by event id, and the names of deleted animals, from the histories of their records. Reads each once. */
function useHistories(client: PetstoreClient, lines: readonly Event[]) {
  const known = useRef({ changes: new Map<bigint, string>(), names: new Map<bigint, string>() }).current
  const unknown = lines.filter(({ id, type, petId }) =>
    type === 'pet.deleted' ? !known.names.has(petId) : type.endsWith('.changed') && !known.changes.has(id),
  )
  useLoaded(
    async (signal) => {
      const filters = unknown.map(
        ({ petId, orderId }): EventFilter =>
          orderId === undefined ? { petId, type: ['pet.added', 'pet.changed'] } : { orderId },
      )
      const different = new Map(filters.map((filter) => [`${filter.petId} ${filter.orderId}`, filter]))
      await concurrently([...different.values()], async (filter) => {
        const events = await readAll(client, filter, signal)
        const pet = events.at(-1)?.pet
        if (pet) known.names.set(pet.id, pet.name)
        for (const [id, change] of changesIn(events)) known.changes.set(id, change)
      })
      // A new value renders the component again.
      return {}
    },
    [unknown.map(({ id }) => id).join()],
  )
  return known
}
