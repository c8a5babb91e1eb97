// The feed of events: what listEvents does.

import { instantFromText } from '../../contract/date-time.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { EventPage, EventPlace, EventStart } from '../../domain/events.ts'
import type { Feed } from '../feed.ts'
import { decodeEventCursor, eventLink } from '../request/event-cursor.ts'
import { noteOnPlus } from '../request/parameters.ts'
import type { Answer } from '../response/response.ts'
import type { SomeHandlers } from './handler.ts'

export const eventOperations = {
  async listEvents({ feed, linkTo }, _caller, { limit, petId, orderId, from, wait, cursor }) {
    const query = { limit, petId, orderId }
    const answerOf = ({ json, count, next }: EventPage): Answer => {
      feed.sent += count
      return { status: 200, body: json, headers: { Link: eventLink(linkTo, query, next) } }
    }
    const until = performance.now() + wait * 1000
    const page = await feed.read({ ...query, after: await placeOf(feed, from, cursor) })
    if (page.count > 0 || wait === 0) return answerOf(page)
    return {
      ...answerOf(page),
      later: async (reader) => answerOf(await feed.readLater({ ...query, after: page.next }, until, reader)),
    }
  },
} satisfies SomeHandlers

/** Throws `invalid_parameter`. */
function placeOf(feed: Feed, from: string | undefined, cursor: string | undefined): Promise<EventPlace> | EventPlace {
  if (cursor === undefined) return feed.findPlace(startOf(from))
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
  throw new PetstoreError('invalid_parameter', `from must be ${expected}.${noteOnPlus(from)}`)
}
