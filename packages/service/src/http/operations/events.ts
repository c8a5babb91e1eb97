// The feed of events: what listEvents does.

import { instantFromText } from '../../../../contract/src/date-time.ts'
import type { EventFilter, EventPage, EventStart } from '../../domain/events.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { decodeEventCursor, eventLink } from '../request/event-cursor.ts'
import { noteOnPlus } from '../request/parameters.ts'
import type { Answer } from '../response/response.ts'
import type { SomeHandlers } from './handler.ts'

export const eventOperations = {
  async listEvents({ feed, linkTo }, _caller, { wait, cursor, from, ...query }) {
    const isNewest = query.sort === 'newest'
    if (from !== undefined && cursor !== undefined && !isNewest) {
      throw refusal('from and cursor cannot be given together: a cursor says where to begin.')
    }
    if (wait > 0 && isNewest)
      throw refusal('wait and sort=newest cannot be given together: nothing follows the newest event.')
    const filter: EventFilter = {
      petId: undefined,
      orderId: undefined,
      type: undefined,
      to: undefined,
      ...query,
      from: startOf(from),
      after: cursor === undefined ? undefined : decodeEventCursor(cursor),
    }
    const answerOf = ({ json, count, next }: EventPage): Answer => {
      feed.sent += count
      return { status: 200, body: json, headers: { Link: eventLink(linkTo, repeated(filter, from), next) } }
    }
    const until = performance.now() + wait * 1000
    const page = await feed.read(filter)
    if (page.count > 0 || page.ended || wait === 0) return answerOf(page)
    return {
      ...answerOf(page),
      later: async (reader) => answerOf(await feed.readLater(filter, page.next, until, reader)),
    }
  },
} satisfies SomeHandlers

/** What the link repeats: `from` where the pages go down to it, and not what is so anyway. */
function repeated({ limit, petId, orderId, type, to, sort }: EventFilter, from: string | undefined) {
  const down = sort === 'newest' ? { sort, from } : {}
  return { limit, petId, orderId, type, to: to === undefined ? undefined : new Date(to).toISOString(), ...down }
}

function refusal(message: string): PetstoreError {
  return new PetstoreError('invalid_parameter', message)
}

/** Throws `invalid_parameter`. */
function startOf(from = 'beginning'): EventStart {
  if (from === 'beginning' || from === 'now') return from
  const time = instantFromText(from)
  if (time !== undefined) return time
  const expected = 'beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z'
  throw refusal(`from must be ${expected}.${noteOnPlus(from)}`)
}
