// The operation listEvents.

import { pathOf } from '../../../../contract/src/contract.ts'
import { DATE_TIME_EXPECTED, instantFromText, lacksSeconds } from '../../../../contract/src/date-time.ts'
import { shown } from '../../../../contract/src/schema.ts'
import type { EventFilter, EventPosition, EventStart } from '../../domain/events.ts'
import { decodeEventCursor, encodeEventCursor } from '../../domain/events.ts'
import { ASCENDS } from '../../domain/lists.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { monotonicMs } from '../../system/runtime.ts'
import type { LinkTo } from '../context.ts'
import { noteOnPlus } from '../request/input.ts'
import type { SomeHandlers } from './handler.ts'

const PATH = pathOf('listEvents')

export const eventOperations = {
  async listEvents({ feed, linkTo }, _caller, { wait, cursor, from, to, sort, ...query }, _body, client) {
    const ascends = ASCENDS[sort]
    if (from !== undefined && cursor !== undefined && ascends) {
      throw refusal('from and cursor cannot be used together: a cursor is already a start position.')
    }
    if (wait > 0 && !ascends)
      throw refusal('wait and sort=newest cannot be used together: no event follows the newest one.')
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
    // Repeats `from` only if pages end there. Repeats `to` as given, because in UTC it can be in year 10000, which
    // date-times do not have.
    const repeated = ascends ? { ...query, to } : { ...query, to, sort, from }
    const until = monotonicMs() + wait * 1000
    let page = await feed.read(filter)
    if (page.count === 0 && !page.ended && wait > 0) {
      const { next } = page
      page = await client.pause(() => feed.readLater(filter, next, until, client))
    }
    feed.sent += page.count
    return { status: 200, body: page.json, headers: { Link: eventLink(linkTo, repeated, page.next) } }
  },
} satisfies SomeHandlers

/** Returns the `Link` header to the next page. `query`: the parameters to repeat. */
function eventLink(linkTo: LinkTo, query: Readonly<Record<string, unknown>>, next: EventPosition): string {
  const repeated = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}&`),
  )
  return `<${linkTo(`${PATH}?${repeated.join('')}cursor=${encodeEventCursor(next)}`)}>; rel="next"`
}

function refusal(message: string): PetstoreError {
  return new PetstoreError('invalid_parameter', message)
}

/** Throws `invalid_parameter`. */
function eventStart(from = 'beginning'): EventStart {
  if (from === 'beginning' || from === 'now') return from
  const time = instantFromText(from)
  if (time !== undefined) return time
  const note = lacksSeconds(from) ? ' It has no seconds.' : noteOnPlus(from)
  throw refusal(`from must be beginning, now, or ${DATE_TIME_EXPECTED}, not ${shown(from)}.${note}`)
}
