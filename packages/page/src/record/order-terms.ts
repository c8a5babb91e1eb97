// For whom and until when orders were right after each of their events. The events do not say it: the last is what the order is now, earlier
// ones are known as far as this page has seen them, for as long as somebody is signed in.

import type { Event, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { brief, time } from '../phrases.ts'

/** By the session's client, and then by the order and the time of its last change. `undefined`: it was changed twice at that time. */
const SEEN = new WeakMap<PetstoreClient, Map<string, Order | undefined>>()

function seenBy(client: PetstoreClient): Map<string, Order | undefined> {
  const seen = SEEN.get(client) ?? new Map<string, Order | undefined>()
  SEEN.set(client, seen)
  return seen
}

export function noteSeen(client: PetstoreClient, orders: Iterable<Order>): void {
  const seen = seenBy(client)
  for (const order of orders) {
    const key = `${order.id} ${order.changedAt}`
    const before = seen.has(key) ? seen.get(key) : order
    seen.set(key, before && changeOf(before, order) === '' ? order : undefined)
  }
}

/** The order right after each event, by the event's id. `events`: all since those that are shown, newest first. `now`: by their ids. */
export function ordersAfter(
  client: PetstoreClient,
  events: readonly Event[],
  now: ReadonlyMap<bigint, Order>,
): Map<bigint, Order> {
  const known = new Map<bigint, Order | undefined>(now)
  const after = new Map<bigint, Order>()
  for (const { id, type, at, orderId } of events) {
    if (orderId === undefined) continue
    const order = seenBy(client).get(`${orderId} ${at}`) ?? known.get(orderId)
    if (order) after.set(id, order)
    // What was before an edit, no later event says.
    known.set(orderId, type === 'order.changed' ? undefined : order)
  }
  return after
}

/** What each `order.changed` has changed, from what to what, where that is known. */
export function orderChanges(events: readonly Event[], after: ReadonlyMap<bigint, Order>): Map<bigint, string> {
  const changes = new Map<bigint, string>()
  const before = new Map<bigint, Order | undefined>()
  for (const { id, type, orderId } of events.toReversed()) {
    if (orderId === undefined) continue
    const [from, to] = [before.get(orderId), after.get(id)]
    if (type === 'order.changed' && from && to) changes.set(id, changeOf(from, to))
    before.set(orderId, to)
  }
  return changes
}

function changeOf(from: Order, to: Order): string {
  const whom = ({ reference }: Order) => (reference ? brief(reference) : 'nobody')
  const end = ({ expiresAt }: Order) => (expiresAt ? time(expiresAt) : 'it is released')
  const parts = [
    from.reference !== to.reference && `for whom from ${whom(from)} to ${whom(to)}`,
    from.expiresAt !== to.expiresAt && `until from ${end(from)} to ${end(to)}`,
  ]
  return parts.filter(Boolean).join(', ')
}
