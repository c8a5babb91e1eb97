// The terms of orders after each of their events, and how each edit changed them. Events of version 1.0.0 lack terms,
// so only the terms since the last edit are known, from the current order.

import type { Event, Order, OrderTerms } from '../../../client/src/petstore.ts'
import { fromTo, ORDER_FIELDS, termsOf } from './edits.ts'

interface Terms {
  /** By event id. */
  after: ReadonlyMap<bigint, OrderTerms>
  /** Describes each edit, by event id. */
  changes: ReadonlyMap<bigint, string>
}

/** `events`: newest first. `now`: the current orders by id. */
export function orderTerms(events: readonly Event[], now: ReadonlyMap<bigint, Order>): Terms {
  const known = new Map<bigint, OrderTerms | undefined>(now)
  const after = new Map<bigint, OrderTerms>()
  const changes = new Map<bigint, string>()
  /** The edit that follows, by order id. */
  const edits = new Map<bigint, { id: bigint; to: OrderTerms } | undefined>()
  for (const { id, type, orderId, terms } of events) {
    if (orderId === undefined) continue
    const here = terms ?? known.get(orderId)
    const edit = edits.get(orderId)
    if (here) after.set(id, here)
    if (here && edit) changes.set(edit.id, fromTo(ORDER_FIELDS, termsOf(here), termsOf(edit.to)))
    const isEdit = type === 'order.changed'
    edits.set(orderId, isEdit && here ? { id, to: here } : undefined)
    known.set(orderId, isEdit ? undefined : here)
  }
  return { after, changes }
}
