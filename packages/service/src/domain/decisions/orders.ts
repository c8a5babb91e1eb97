// The rules for placing, changing and expiring orders, and for their other status transitions. Each transition
// changes an order together with its pet, and each change emits an event.

import { type EventType, EXPIRY_DAYS_MAX } from '../../../../contract/src/generated.ts'
import type { KeyId } from '../keys.ts'
import { isDone, leadsFrom, type RequestedTransition, TRANSITIONS, type TransitionTo } from '../order-transitions.ts'
import type { ExpiredOrder, NewOrder, Order, OrderChange, OrderCheck } from '../orders.ts'
import type { Created } from '../pets.ts'
import type { PetstoreError } from '../petstore-error.ts'
import {
  invalidExpiry,
  noSuchOrder,
  notPending,
  notTransitioned,
  petNotAvailable,
  petNotFound,
} from './refusal-messages.ts'
import type { StoredOrder } from './snapshot.ts'
import { type Decision, isOverdue, type WorkingCopy } from './working-copy.ts'

const LATEST_EXPIRY_MS = EXPIRY_DAYS_MAX * 86_400_000

export function placeOrder(order: NewOrder, by: KeyId, key?: string): Decision<Created<Order>> {
  const request = { operation: 'placeOrder', request: order, by, key } as const
  return {
    by,
    touches: { petId: order.petId, key: key === undefined ? undefined : { by, key } },
    decide: (copy) => copy.answerOnce(request, () => placed(copy, order, by)),
  }
}

export function moveOrder(id: bigint, to: RequestedTransition, by: KeyId, check?: OrderCheck): Decision<Order> {
  return {
    by,
    touches: { orderId: id },
    decide(copy) {
      const order = unlessOverdue(copy, id)
      if (!order) return noSuchOrder(id)
      if (isDone(to, order.status)) return order
      if (!leadsFrom(order.status, to)) return notTransitioned(order, to)
      return check?.(order) ?? copy.withPetName(transition(copy, order, to, by))
    },
  }
}

export function updateOrder(id: bigint, change: OrderChange, by: KeyId, check?: OrderCheck): Decision<Order> {
  return {
    by,
    touches: { orderId: id },
    decide(copy) {
      const order = unlessOverdue(copy, id)
      const reference = change.reference === undefined ? order?.reference : (change.reference ?? undefined)
      const expiresAt = change.expiresAt === undefined ? order?.expiresAt : (change.expiresAt ?? undefined)
      // A change that is already in effect succeeds, even if the order has ended or `If-Match` fails: a client that
      // resends a request because the answer was lost learns that it was carried out (RFC 9110, 13.1.1).
      const alreadyInEffect = order && reference === order.reference && expiresAt === order.expiresAt
      if (alreadyInEffect) return check?.(order, true) ?? order
      if (expiresAt !== order?.expiresAt && isBadExpiry(expiresAt, copy.now)) return invalidExpiry()
      if (!order) return noSuchOrder(id)
      if (order.status !== 'pending') return notPending(order)
      return check?.(order) ?? withNewTerms(copy, { ...order, reference, expiresAt }, by)
    },
  }
}

export function expireOrders(limit: number): Decision<ExpiredOrder[]> {
  return {
    by: null,
    touches: { overdue: limit },
    decide(copy) {
      const expired = copy.overdue().slice(0, limit)
      for (const order of expired) transition(copy, order, 'expired', null)
      return expired.map(({ id, petId }) => ({ id, petId }))
    },
  }
}

/** Returns the order that holds the pet. If it is overdue, expires it and returns `undefined`. */
export function holderNow(copy: WorkingCopy, petId: bigint): StoredOrder | undefined {
  const holder = copy.holder(petId)
  if (!holder || !isOverdue(holder, copy.now)) return holder
  transition(copy, holder, 'expired', null)
  return undefined
}

function placed(copy: WorkingCopy, order: NewOrder, by: KeyId): Order | PetstoreError {
  const { now } = copy
  const { petId, expiresAt } = order
  if (isBadExpiry(expiresAt, now)) return invalidExpiry()
  const pet = copy.pets.get(petId)
  if (!pet) return petNotFound(petId)
  const holder = pet.status === 'available' ? undefined : holderNow(copy, petId)
  if (copy.pets.get(petId)?.status !== 'available') return petNotAvailable(pet, holder)
  const added = copy.addOrder({ ...order, status: 'pending', placedAt: now, changedAt: now })
  copy.pets.set(petId, { ...pet, status: 'pending' })
  recordTransition(copy, added, by)
  return { ...added, petName: pet.name }
}

/** Returns the order. Expires it first if it is overdue. */
function unlessOverdue(copy: WorkingCopy, id: bigint): Order | undefined {
  const order = copy.orders.get(id)
  return order && copy.withPetName(isOverdue(order, copy.now) ? transition(copy, order, 'expired', null) : order)
}

/** Throws if the statuses of order and pet contradict each other. */
function transition(copy: WorkingCopy, order: StoredOrder, to: TransitionTo, by: KeyId | null): StoredOrder {
  copy.expectAgreement(order)
  const after = changed(copy, { ...order, status: to })
  copy.pets.set(order.petId, { ...copy.petOf(order), status: TRANSITIONS[to].pet })
  recordTransition(copy, after, by)
  return after
}

function withNewTerms(copy: WorkingCopy, { petName, ...order }: Order, by: KeyId): Order {
  const after = changed(copy, order)
  recordEvent(copy, 'order.changed', after, by)
  return { ...after, petName }
}

/** `changedAt` never decreases, even if the clock was set back. */
function changed(copy: WorkingCopy, order: StoredOrder): StoredOrder {
  const after = { ...order, changedAt: Math.max(copy.now, order.changedAt) }
  copy.orders.set(order.id, after)
  return after
}

function recordTransition(copy: WorkingCopy, order: StoredOrder, by: KeyId | null): void {
  const { id, petId, status } = order
  recordEvent(copy, `order.${status === 'pending' ? 'placed' : status}`, order, by)
  copy.transitions.push({ id, petId, status })
}

function recordEvent(copy: WorkingCopy, type: EventType, order: StoredOrder, by: KeyId | null): void {
  const { id, petId, changedAt, reference, expiresAt } = order
  const pet = copy.petOf(order)
  copy.events.push({ type, at: changedAt, by, petId, orderId: id, pet, terms: { reference, expiresAt } })
}

function isBadExpiry(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && (expiresAt <= now || expiresAt > now + LATEST_EXPIRY_MS)
}
