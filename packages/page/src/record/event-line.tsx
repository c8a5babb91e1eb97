// One event as a line of a history.

import type { ComponentChildren } from 'preact'
import type { Event } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { EVENT_NAMES, labelOf } from '../animal/status-labels.ts'
import { plain } from '../parts/visible-text.ts'
import { brief, time } from '../phrases.ts'

const UNTIL: readonly string[] = ['order.placed', 'order.changed'] satisfies EventType[]

interface EventLineProps {
  event: Event
  /** The edited fields with their old and new values, if known. */
  change: string | undefined
  shownTime: string
  children?: ComponentChildren
}

export function EventLine({ event, change, shownTime, children }: EventLineProps) {
  return (
    <li translate={false}>
      <time dateTime={event.at} class="muted">
        {shownTime}
      </time>
      <span>
        {children}
        {sentenceOf(event, change)}
        {event.by !== undefined && <span class="muted"> — {plain(event.by)}</span>}
      </span>
    </li>
  )
}

export function sentenceOf({ type, petStatus, terms }: Event, change: string | undefined): string {
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
