// The event feed: single pages, and an endless iteration over all events.

import { type EventType, PAGE_MAX } from '../../contract/src/generated.ts'
import type { Json } from '../../contract/src/json.ts'
import { PetstoreApiError } from './errors.ts'
import { queryOf, readPage } from './pages.ts'
import type { Event } from './responses.ts'
import { pause } from './retries.ts'
import type { Sender, SendOptions } from './sender.ts'

export interface EventPage {
  events: Event[]
  /** The cursor of the next page, even if there are no later events yet. */
  next: string
}

export interface FollowOptions {
  /** Continues after the event or page that this cursor came with. `from` is then ignored. */
  cursor?: string | undefined
  /** The start without a cursor: `beginning` (default), `now`, or a date and time with an offset. */
  from?: string | undefined
  petId?: bigint | undefined
  orderId?: bigint | undefined
  /** Only events of these types. */
  type?: readonly EventType[] | undefined
  /**
   * Called if the cursor has expired, before the iteration starts again from the beginning. Discard everything derived
   * from earlier events. Without it, the iteration rejects.
   */
  onExpired?: (() => unknown) | undefined
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
}

export interface Followed {
  event: Event
  /** Save it with what you derived from the event, to continue from here later, even in another process. */
  cursor: string
}

export interface RawPage<Item> {
  items: Item[]
  next: string
}

type Query = Omit<FollowOptions, 'signal' | 'onExpired'> & { limit?: number | undefined; wait?: number | undefined }
type ReadPage<Item> = (query: Query, options: SendOptions) => Promise<RawPage<Item>>

/** Shorter than the contract allows, because proxies close requests that wait too long. */
export const WAIT_S = 25
/** The pause between empty pages. A server that is stopping does not wait, and a proxy may not wait either. */
const EMPTY_MS = 1_000

/** Following survives any outage, and respects any Retry-After. */
const ENDLESS = { retries: Number.POSITIVE_INFINITY, retryAfterMaxMs: Number.POSITIVE_INFINITY }

/** Reads pages of the feed with `toItem`. */
export function eventReader<Item>(sender: Sender, toItem: (json: Json) => Item): ReadPage<Item> {
  return async (query, options) => {
    const waitMs = (query.wait ?? 0) * 1_000
    const list = { operationId: 'listEvents', path: '/store/events', toItem }
    const page = await readPage(sender, list, query, { ...options, waitMs })
    if (page.next !== undefined) return page as RawPage<Item>
    throw new PetstoreApiError('The response has no link to the next page.', 'unexpected_answer', 200)
  }
}

/** Yields every page, even empty ones, until the signal is aborted. Rejects as `read`. */
export async function* followPages<Item>(
  read: ReadPage<Item>,
  { cursor, from, signal, ...filter }: FollowOptions,
): AsyncGenerator<RawPage<Item>, void, undefined> {
  const after = (cursor: string) => ({ ...filter, cursor, limit: PAGE_MAX, wait: WAIT_S })
  // Only pages have cursors. The first page has one event, so that later events have the cursor of the page before
  // them.
  let query: Query = cursor === undefined ? { ...filter, from, limit: 1 } : after(cursor)
  try {
    while (!signal?.aborted) {
      const emptyUntil = performance.now() + EMPTY_MS
      const page = await read(query, { ...ENDLESS, signal })
      yield page
      if (page.items.length === 0 && query.wait) await pause(emptyUntil - performance.now(), signal)
      query = after(page.next)
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

/**
 * Yields the events of the pages. If a cursor expires and `onExpired` is set, starts again from the beginning. Rejects
 * if a read without a cursor is rejected in this way, because starting again would not help.
 */
export async function* followEach(
  read: ReadPage<Event>,
  { onExpired, ...options }: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
  let cursor: string | undefined
  const noting: ReadPage<Event> = (query, call) => {
    cursor = query.cursor
    return read(query, call)
  }
  for (;;) {
    try {
      yield* eventsOf(noting, options)
      return
    } catch (error) {
      const isExpired = error instanceof PetstoreApiError && error.code === 'cursor_expired'
      if (!isExpired || !onExpired || !cursor) throw error
    }
    await onExpired()
    options.cursor = options.from = undefined
  }
}

/**
 * Only pages have cursors. If the page after the cursor P has the events 7, 8 and 9, and its next cursor is N, then 9
 * gets N. 7 and 8 get P, a dot, and their content with the filter of the page: `P.id=8&type=pet.added&at=…&in.petId=3`.
 */
async function* eventsOf(
  read: ReadPage<Event>,
  options: Omit<FollowOptions, 'onExpired'>,
): AsyncGenerator<Followed, void, undefined> {
  const { petId, orderId, type, signal } = options
  const [start, inPage] = options.cursor?.split(/\.(.*)/s) ?? []
  const lastRead = inPage === undefined ? undefined : await lastReadOn(read, start as string, inPage, signal)
  const filter = { 'in.petId': petId, 'in.orderId': orderId, 'in.type': type }
  let page = start
  for await (const { items, next } of followPages(read, { ...options, cursor: start })) {
    for (const event of items) {
      if (lastRead !== undefined && event.id <= lastRead) continue
      if (signal?.aborted) return
      const isLast = event === items.at(-1)
      yield { event, cursor: isLast ? next : `${page}.${queryOf({ ...identityOf(event), ...filter })}` }
    }
    page = next
  }
}

/**
 * Resolves with the id of the last event that was read on the page after `start`. `inPage` has the event's content
 * and the filter of the page. If the page has a different event with this id, the database lost events, and the
 * cursor has expired. A cursor of an older client only has the id.
 */
async function lastReadOn(read: ReadPage<Event>, start: string, inPage: string, signal?: AbortSignal): Promise<bigint> {
  if (/^\d+$/.test(inPage)) return BigInt(inPage)
  const saved = new URLSearchParams(inPage)
  const number = (name: string) => (saved.has(name) ? BigInt(saved.get(name) as string) : undefined)
  const type = saved.getAll('in.type') as EventType[]
  const filter = { petId: number('in.petId'), orderId: number('in.orderId'), type, cursor: start, limit: PAGE_MAX }
  const { items } = await read(filter, { ...ENDLESS, signal })
  const event = items.find(({ id }) => id === number('id'))
  if (event && `${inPage}&`.startsWith(`${queryOf(identityOf(event))}&`)) return event.id
  throw new PetstoreApiError('The store has lost events. Start again without a cursor.', 'cursor_expired', 410)
}

/** The fields that identify an event, because an id can be reused after events were lost. */
function identityOf({ id, type, at, petId, orderId }: Event) {
  return { id, type, at, petId, orderId }
}
