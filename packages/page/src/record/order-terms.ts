// For whom and until when orders were right after each of their events. The events do not say it: the last is what the order is now, earlier
// ones are known as far as this page has seen them, for as long as somebody is signed in.

import type { Event, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { fromTo, ORDER_FIELDS, termsOf } from './edits.ts'

/** By the session's client, and then by the order and the time of its last change. */
const SEEN = new WeakMap<PetstoreClient, Map<string, Order>>()

export function noteSeen(client: PetstoreClient, orders: Iterable<Order>): void {
  const seen = SEEN.get(client) ?? new Map<string, Order>()
  SEEN.set(client, seen)
  for (const order of orders) seen.set(`${order.id} ${order.changedAt}`, order)
}

interface Terms {
  /** The order right after each event, by the event's id. */
  after: ReadonlyMap<bigint, Order>
  /** What each edit has changed, from what to what. */
  changes: ReadonlyMap<bigint, string>
}

/** As far as it is known. `events`: all since those that are shown, newest first. `now`: by their ids. */
export function orderTerms(client: PetstoreClient, events: readonly Event[], now: ReadonlyMap<bigint, Order>): Terms {
  const known = new Map<bigint, Order | undefined>(now)
  const after = new Map<bigint, Order>()
  const changes = new Map<bigint, string>()
  /** The edit that follows, by the order. */
  const edits = new Map<bigint, { id: bigint; to: Order } | undefined>()
  for (const { id, type, at, orderId } of events) {
    if (orderId === undefined) continue
    const order = SEEN.get(client)?.get(`${orderId} ${at}`) ?? known.get(orderId)
    const edit = edits.get(orderId)
    if (order) after.set(id, order)
    if (order && edit) changes.set(edit.id, fromTo(ORDER_FIELDS, termsOf(order), termsOf(edit.to)))
    const isEdit = type === 'order.changed'
    edits.set(orderId, isEdit && order ? { id, to: order } : undefined)
    // What was before an edit, no later event says.
    known.set(orderId, isEdit ? undefined : order)
  }
  return { after, changes }
}
