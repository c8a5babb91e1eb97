// The feed of events: what listEvents does.

import { instantFromText } from '../../../../contract/src/date-time.ts'
import type { EventFilter, EventPage, EventStart } from '../../domain/events.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { monotonicMs } from '../../system/runtime.ts'
import { decodeEventCursor, eventLink } from '../request/event-cursor.ts'
import { noteOnPlus } from '../request/parameters.ts'
import type { Answer } from '../response/response.ts'
import type { SomeHandlers } from './handler.ts'

export const eventOperations = {
  async listEvents({ feed, linkTo }, _caller, { wait, cursor, from, to, sort, ...query }) {
    const isNewest = sort === 'newest'
    if (from !== undefined && cursor !== undefined && !isNewest) {
      throw refusal('from and cursor cannot be given together: a cursor says where to begin.')
    }
    if (wait > 0 && isNewest)
      throw refusal('wait and sort=newest cannot be given together: nothing follows the newest event.')
    const filter: EventFilter = {
      petId: undefined,
      orderId: undefined,
      type: undefined,
      ...query,
      sort,
      from: eventStart(from),
      to: to === undefined ? undefined : instantFromText(to),
      after: cursor === undefined ? undefined : decodeEventCursor(cursor),
    }
    // `from` only if the pages end there. `to` as it was given: in UTC it may be in year 10000, which no date-time has.
    const repeated = { ...query, to, ...(isNewest && { sort, from }) }
    const answerOf = ({ json, count, next }: EventPage): Answer => {
      feed.sent += count
      return { status: 200, body: json, headers: { Link: eventLink(linkTo, repeated, next) } }
    }
    const until = monotonicMs() + wait * 1000
    const page = await feed.read(filter)
    if (page.count > 0 || page.ended || wait === 0) return answerOf(page)
    return {
      ...answerOf(page),
      later: async (reader) => answerOf(await feed.readLater(filter, page.next, until, reader)),
    }
  },
} satisfies SomeHandlers

function refusal(message: string): PetstoreError {
  return new PetstoreError('invalid_parameter', message)
}

/** Throws `invalid_parameter`. */
function eventStart(from = 'beginning'): EventStart {
  if (from === 'beginning' || from === 'now') return from
  const time = instantFromText(from)
  if (time !== undefined) return time
  const expected = 'beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z'
  throw refusal(`from must be ${expected}.${noteOnPlus(from)}`)
}
