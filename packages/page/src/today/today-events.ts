// What has happened since midnight, and which reservations end before the next one, as far as a busy day lets the page count.

import { useEffect } from 'preact/hooks'
import type { Order, PetstoreClient } from '../../../client/src/petstore.ts'
import type { Event, ReadEvents } from '../live/events.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { useLoaded } from '../loaded.ts'

/** Twenty requests of each kind, and no more. */
const PAGES_MAX = 20
const AT_ONCE = 100
const SOON_MS = 1_000

export interface Today {
  /** Oldest first. */
  events: readonly Event[]
  /** There are more. */
  moreEvents: boolean
  /** Reservations that end today. */
  ending: readonly Order[]
  moreEnding: boolean
  /** The newest orders: their names and customers. */
  orders: readonly Order[]
}

export function useToday(client: PetstoreClient, readEvents: ReadEvents, feed: Feed) {
  const { value, failure, reload, setValue } = useLoaded(async (signal): Promise<Today> => {
    const [events, orders] = await Promise.all([readSinceMidnight(readEvents, signal), readOrders(client, signal)])
    return { ...events, ...orders }
  }, [])

  useEvents(feed, (events, gap) => {
    if (gap) reload()
    setValue((before) => before && withEvents(before, events))
    if (events.some(({ orderId }) => orderId !== undefined)) setTimeout(refreshOrders, SOON_MS)
  })
  async function refreshOrders(): Promise<void> {
    const orders = await readOrders(client).catch(() => undefined)
    if (orders) setValue((before) => before && { ...before, ...orders })
  }

  useEffect(() => {
    const timer = setTimeout(reload, midnight(1).getTime() - Date.now())
    return () => clearTimeout(timer)
  }, [value])
  return { today: value, failure, reload }
}

/** The browser's, `days` days from now. */
function midnight(days = 0): Date {
  const date = new Date()
  date.setHours(24 * days, 0, 0, 0)
  return date
}

/** The feed may tell what was read already. */
function withEvents(today: Today, events: readonly Event[]): Today {
  if (today.moreEvents) return today
  const last = today.events.at(-1)?.id ?? 0n
  return { ...today, events: [...today.events, ...events.filter(({ id }) => id > last)] }
}

async function readSinceMidnight(readEvents: ReadEvents, signal: AbortSignal) {
  const events: Event[] = []
  let where: { from?: string; cursor?: string | undefined } = { from: midnight().toISOString() }
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await readEvents({ ...where, limit: AT_ONCE }, signal)
    events.push(...page.events)
    if (page.events.length < AT_ONCE) return { events, moreEvents: false }
    where = { cursor: page.next }
  }
  return { events, moreEvents: true }
}

async function readOrders(client: PetstoreClient, signal?: AbortSignal) {
  const options = { signal }
  const { orders } = await client.listOrderPage({ sort: 'newest', limit: AT_ONCE }, options)
  const pending: Order[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.listOrderPage({ status: 'pending', limit: AT_ONCE, cursor }, options)
    pending.push(...page.orders)
    cursor = page.next
    if (cursor === undefined) break
  }
  const end = midnight(1).getTime()
  const ending = pending.filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) < end)
  return { orders, ending, moreEnding: cursor !== undefined }
}
