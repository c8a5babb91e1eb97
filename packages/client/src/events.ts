// The feed of events: its pages, one after another for as long as the caller wants, each event once.

import { type EventType, PAGE_MAX } from '../../contract/src/generated.ts'
import type { Json } from '../../contract/src/json.ts'
import { PetstoreApiError } from './errors.ts'
import { queryOf, readPage } from './pages.ts'
import type { Event } from './responses.ts'
import { pause } from './retries.ts'
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
  /** Only events of these types. */
  type?: readonly EventType[] | undefined
  /**
   * Called when the cursor has expired, before the events are given again from the beginning: forget what was made of them. Without it, the
   * iteration rejects.
   */
  onExpired?: (() => unknown) | undefined
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

type Query = Omit<FollowOptions, 'signal' | 'onExpired'> & { limit?: number | undefined; wait?: number | undefined }
type ReadPage<Item> = (query: Query, options: SendOptions) => Promise<RawPage<Item>>

/** Shorter than the contract allows: proxies end what waits too long. */
export const WAIT_S = 25
/** Between two pages that were empty at once: a server that stops does not wait, and neither may a proxy before it. */
const EMPTY_MS = 1_000

/** What follows goes on however long the service is away, and waits as long as it asks, up to what a timer can. */
const FOR_GOOD = { retries: Number.POSITIVE_INFINITY, retryAfterMaxMs: 2 ** 31 - 1 }

/** Reads pages of the feed with `toItem`. */
export function eventReader<Item>(sender: Sender, toItem: (json: Json) => Item): ReadPage<Item> {
  return async (query, options) => {
    const waitMs = (query.wait ?? 0) * 1_000
    const list = { operationId: 'listEvents', path: '/store/events', toItem }
    const page = await readPage(sender, list, query, { ...options, waitMs })
    if (page.next !== undefined) return page as RawPage<Item>
    throw new PetstoreApiError('The response has no link to go on.', 'unexpected_answer', 200)
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

/** The events of the pages; where their cursor expires, all from the beginning, if `onExpired` is there to hear it. */
export async function* followEach(
  read: ReadPage<Event>,
  { onExpired, ...options }: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
  for (let restarted = false; ; restarted = true) {
    let isBehind = !restarted && options.cursor !== undefined
    try {
      for await (const followed of eventsOf(read, {
        ...options,
        ...(restarted && { cursor: undefined, from: undefined }),
      })) {
        isBehind = true
        yield followed
      }
      return
    } catch (error) {
      const isExpired = error instanceof PetstoreApiError && error.code === 'cursor_expired'
      if (!isExpired || !onExpired || !isBehind) throw error
    }
    await onExpired()
  }
}

/** The cursor of an event within a page is that of the page before and, behind a dot, what `passedIn` reads. */
async function* eventsOf(
  read: ReadPage<Event>,
  options: Omit<FollowOptions, 'onExpired'>,
): AsyncGenerator<Followed, void, undefined> {
  const { petId, orderId, type, signal } = options
  const [start, within] = options.cursor?.split(/\.(.*)/s) ?? []
  const passed = within === undefined ? undefined : await passedIn(read, start as string, within, signal)
  const filter = { 'in.petId': petId, 'in.orderId': orderId, 'in.type': type }
  let page = start
  for await (const { items, next } of followPages(read, { ...options, cursor: start })) {
    for (const event of items) {
      if (passed !== undefined && event.id <= passed) continue
      if (signal?.aborted) return
      const behind = () => `${page}.${queryOf({ ...saidBy(event), ...filter })}`
      yield { event, cursor: event === items.at(-1) ? next : behind() }
    }
    page = next
  }
}

/**
 * The id of the last event that was passed on the page behind `start`. What it said is saved with it, and which page that was: where another
 * event has its place, because the database has lost it, the cursor has expired, as the service says of its own cursors. A cursor of an
 * older client has the id alone.
 */
async function passedIn(read: ReadPage<Event>, start: string, text: string, signal?: AbortSignal): Promise<bigint> {
  if (/^\d+$/.test(text)) return BigInt(text)
  const saved = new URLSearchParams(text)
  const number = (name: string) => (saved.has(name) ? BigInt(saved.get(name) as string) : undefined)
  const type = saved.getAll('in.type') as EventType[]
  const filter = { petId: number('in.petId'), orderId: number('in.orderId'), type, cursor: start, limit: PAGE_MAX }
  const { items } = await read(filter, { ...FOR_GOOD, signal })
  const event = items.find(({ id }) => id === number('id'))
  if (event && `${text}&`.startsWith(`${queryOf(saidBy(event))}&`)) return event.id
  throw new PetstoreApiError('The store has lost events. Begin again without a cursor.', 'cursor_expired', 410)
}

/** What tells it from another event that is given its id. */
function saidBy({ id, type, at, petId, orderId }: Event) {
  return { id, type, at, petId, orderId }
}
