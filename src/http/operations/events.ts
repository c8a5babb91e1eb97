// The feed of events: what listEvents does.

import { instantFromText } from '../../contract/date-time.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { EventPlace, EventStart, EventStore } from '../../domain/events.ts'
import { decodeEventCursor, eventLink } from '../request/event-cursor.ts'
import type { Handlers } from './handler.ts'

const LOOK_EVERY_MS = 100

export const eventOperations: Handlers<'listEvents'> = {
  async listEvents({ events, linkTo }, _caller, { limit, petId, orderId, from, wait, cursor }) {
    const query = { limit, petId, orderId }
    const after = await placeOf(events, from, cursor)
    const until = performance.now() + wait * 1000
    let page = await events.listEvents({ ...query, after })
    while (page.isEmpty && performance.now() < until) {
      await Bun.sleep(LOOK_EVERY_MS)
      page = await events.listEvents({ ...query, after: page.next })
    }
    return { status: 200, body: page.json, headers: { Link: eventLink(linkTo, query, page.next) } }
  },
}

/** Throws `invalid_parameter`. */
function placeOf(
  events: EventStore,
  from: string | undefined,
  cursor: string | undefined,
): Promise<EventPlace> | EventPlace {
  if (cursor === undefined) return events.findPlace(startOf(from))
  if (from === undefined) return decodeEventCursor(cursor)
  throw new PetstoreError(
    'invalid_parameter',
    'from and cursor cannot be given together: a cursor says where to begin.',
  )
}

function startOf(from = 'beginning'): EventStart {
  if (from === 'beginning' || from === 'now') return from
  const time = instantFromText(from)
  if (time !== undefined) return time
  const expected = 'beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z'
  throw new PetstoreError('invalid_parameter', `from must be ${expected}.`)
}
