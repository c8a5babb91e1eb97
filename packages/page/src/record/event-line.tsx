// One event as a line of a history.

import type { ComponentChildren } from 'preact'
import type { Event, OrderTerms, Pet } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { TYPED_FIELDS, textsOf } from '../animal/fields.ts'
import { EVENT_NAMES, labelOf } from '../animal/status-labels.ts'
import { plain } from '../parts/visible-text.ts'
import { brief, time } from '../phrases.ts'
import { fromTo } from './edits.ts'

const UNTIL: readonly string[] = ['order.placed', 'order.changed'] satisfies EventType[]

interface EventLineProps {
  event: Event
  /** The terms of the order right after the event, if known. */
  terms: OrderTerms | undefined
  /** The edited fields with their old and new values, if known. */
  change: string | undefined
  shownTime: string
  children?: ComponentChildren
}

export function EventLine({ event, terms, change, shownTime, children }: EventLineProps) {
  return (
    <li>
      <time dateTime={event.at} class="muted">
        {shownTime}
      </time>
      <span>
        {children}
        {sentenceOf(event, terms, change)}
        {event.by !== undefined && <span class="muted"> — {plain(event.by)}</span>}
      </span>
    </li>
  )
}

export function sentenceOf(
  { type, petStatus }: Event,
  terms: OrderTerms | undefined,
  change: string | undefined,
): string {
  // A newer service can have more types.
  const words = EVENT_NAMES[type as EventType] ?? type
  if (type === 'pet.added' && petStatus && petStatus !== 'available') {
    return `${words} as ${labelOf(petStatus).toLowerCase()}`
  }
  if (change) return `${words}: ${change}`
  const whom = terms?.reference ? ` for ${brief(terms.reference)}` : ''
  const until = UNTIL.includes(type) && terms?.expiresAt ? ` until ${time(terms.expiresAt)}` : ''
  return type === 'order.changed' && terms
    ? `${words}: now${whom || until ? whom + until : ' for nobody'}`
    : words + whom + until
}

/** Describes each `pet.changed`, by event id. `events`: all events of one animal, oldest first. */
export function changesIn(events: readonly Event[]): Map<bigint, string> {
  const changes = new Map<bigint, string>()
  let before: Pet | undefined
  for (const { id, type, pet } of events) {
    if (!pet) continue
    if (type === 'pet.changed' && before) changes.set(id, changeOf(before, pet))
    before = pet
  }
  return changes
}

function changeOf(before: Pet, after: Pet): string {
  const isFreed = before.status !== 'available' && after.status === 'available'
  return [fromTo(TYPED_FIELDS, textsOf(before), textsOf(after)), isFreed && 'made available'].filter(Boolean).join(', ')
}
