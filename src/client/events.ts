// The feed of events: its pages, one after another for as long as the caller wants, each event once.

import { PAGE_MAX } from '../contract/generated.ts'
import type { Json } from '../json/json.ts'
import { PetstoreApiError } from './errors.ts'
import { readPage } from './pages.ts'
import { pause } from './request.ts'
import type { Event } from './responses.ts'
import type { Sender, SendOptions } from './sender.ts'

export interface EventPage {
  events: Event[]
  /** Where to go on, also when nothing follows yet. */
  next: string
}

export interface FollowOptions {
  /** Goes on behind the event, or the page, that this cursor came with; `from` then does not count. */
  cursor?: string | undefined
  /** Where to begin without a cursor: `beginning`, which is the default, `now`, or a date and time with an offset. */
  from?: string | undefined
  petId?: bigint | undefined
  orderId?: bigint | undefined
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
}

export interface Followed {
  event: Event
  /** Keep it with what you made of the event: `followEvents` goes on from there, also in another process. */
  cursor: string
}

export interface RawPage<Item> {
  items: Item[]
  next: string
}

type Query = Omit<FollowOptions, 'signal'> & { limit?: number | undefined; wait?: number | undefined }
type ReadPage<Item> = (query: Query, options: SendOptions) => Promise<RawPage<Item>>

const WAIT_S = 25
/** Between two pages that were empty at once: a server that stops does not wait, and neither may a proxy before it. */
const EMPTY_MS = 1_000

/** What follows goes on however long the service is away, and waits as long as it asks, up to what a timer can. */
const FOR_GOOD = { retries: Number.POSITIVE_INFINITY, retryAfterMaxMs: 2 ** 31 - 1 }

/** Reads pages of the feed with `toItem`. */
export function eventReader<Item>(sender: Sender, toItem: (json: Json) => Item): ReadPage<Item> {
  return async (query, options) => {
    const waitMs = (query.wait ?? 0) * 1_000
    const list = { operationId: 'listEvents', path: '/store/events', toItem }
    const { items, next } = await readPage(sender, list, query, { ...options, waitMs })
    if (next !== undefined) return { items, next }
    throw new PetstoreApiError('The response has no link to go on.', 'unexpected_answer', 200, undefined, undefined)
  }
}

/** The pages, empty ones too, until the signal is aborted. Rejects as `read`, which retries. */
export async function* followPages<Item>(
  read: ReadPage<Item>,
  { cursor, from, signal, ...filter }: FollowOptions,
): AsyncGenerator<RawPage<Item>, void, undefined> {
  const behind = (cursor: string) => ({ ...filter, cursor, limit: PAGE_MAX, wait: WAIT_S })
  // Only a page has a cursor. The first one has one event: every later one can then be found again from the page before.
  let query: Query = cursor === undefined ? { ...filter, from, limit: 1 } : behind(cursor)
  try {
    while (!signal?.aborted) {
      const emptyUntil = performance.now() + EMPTY_MS
      const page = await read(query, { ...FOR_GOOD, signal })
      yield page
      if (page.items.length === 0 && query.wait) await pause(emptyUntil - performance.now(), signal)
      query = behind(page.next)
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

/**
 * The events of the pages. The cursor of one within a page is that of the page before and, behind a dot, the event's id: read that page again,
 * and skip to behind the event, since ids rise.
 */
export async function* followEach(
  read: ReadPage<Event>,
  options: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
  const [start, passed] = options.cursor?.split('.') ?? []
  const after = passed === undefined ? undefined : BigInt(passed)
  let page = start
  for await (const { items, next } of followPages(read, { ...options, cursor: start })) {
    for (const event of items) {
      if (after !== undefined && event.id <= after) continue
      if (options.signal?.aborted) return
      yield { event, cursor: event === items.at(-1) ? next : `${page}.${event.id}` }
    }
    page = next
  }
}
