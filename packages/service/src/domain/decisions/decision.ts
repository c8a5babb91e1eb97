// Decides changes of pets and orders for every store, with the rules for them. In one transaction, under the lock that
// orders commits, a store reads the rows that a batch touches, calls `decide`, and writes the result. Each decision sees
// the effects of the decisions before it.

import { type EventType, EXPIRY_DAYS_MAX } from '../../../../contract/src/generated.ts'
import { type KeyId, refusedKey } from '../keys.ts'
import { isDone, leadsFrom, type RequestedTransition, TRANSITIONS, type TransitionTo } from '../order-transitions.ts'
import type { ExpiredOrder, NewOrder, Order, OrderChange, OrderCheck, OrderStore } from '../orders.ts'
import type { Created, NewPet, Pet, PetChange, PetCheck, PetStore } from '../pets.ts'
import type { PetstoreError } from '../petstore-error.ts'
import {
  invalidExpiry,
  noSuchOrder,
  noSuchPet,
  notPending,
  notTransitioned,
  onlyAvailable,
  petHasOrders,
  petHeld,
  petNotAvailable,
  petNotFound,
} from './refusal-messages.ts'
import type { Snapshot, StoredOrder, Touches } from './snapshot.ts'
import { type Decision, isOverdue, WorkingCopy } from './working-copy.ts'

/** Commits a decision, possibly in one batch with others. Resolves with its result or rejects with the reason. */
export type Commit = <Result>(decision: Decision<Result>) => Promise<Result>

type ChangingMethods = Pick<PetStore, 'createPet' | 'updatePet' | 'deletePet'> &
  Pick<OrderStore, 'placeOrder' | 'completeOrder' | 'cancelOrder' | 'returnOrder' | 'updateOrder' | 'expireOrders'>

/** Returns the store methods that change pets and orders. Each commits a decision. */
export function changingMethods(commit: Commit, isAnyOverdue: () => Promise<boolean>, expiredAtOnce: number) {
  return {
    createPet: (...request) => commit(createPet(...request)),
    updatePet: (...request) => commit(updatePet(...request)),
    deletePet: (...request) => commit(deletePet(...request)),
    placeOrder: (...request) => commit(placeOrder(...request)),
    completeOrder: (id, ...request) => commit(moveOrder(id, 'completed', ...request)),
    cancelOrder: (id, ...request) => commit(moveOrder(id, 'cancelled', ...request)),
    returnOrder: (id, ...request) => commit(moveOrder(id, 'returned', ...request)),
    updateOrder: (...request) => commit(updateOrder(...request)),
    // Starts no transaction if nothing is overdue.
    expireOrders: async (limit = expiredAtOnce) => ((await isAnyOverdue()) ? commit(expireOrders(limit)) : []),
  } satisfies ChangingMethods
}

export type Touched = ReturnType<typeof touchedBy>

/** Returns the rows that a batch looks at. */
export function touchedBy(batch: readonly Decision<unknown>[]) {
  const all = <Value>(of: (touches: Touches) => Value | undefined) => batch.flatMap(({ touches }) => of(touches) ?? [])
  return {
    callers: new Set(batch.flatMap(({ by }) => by ?? [])),
    petIds: new Set(all(({ petId }) => petId)),
    everOrdered: new Set(all(({ everOrdered }) => everOrdered)),
    orderIds: new Set(all(({ orderId }) => orderId)),
    keys: all(({ key }) => key),
    overdue: overdueIn(batch),
  }
}

export function overdueIn(batch: readonly Decision<unknown>[]): number {
  return batch.reduce((sum, { touches }) => sum + (touches.overdue ?? 0), 0)
}

export type Decided = ReturnType<typeof decide>

/** Returns outcomes in the order of the decisions. Throws if the store contradicts itself; nothing may be written then. */
export function decide(snapshot: Snapshot, decisions: readonly Decision<unknown>[]) {
  const copy = new WorkingCopy(snapshot)
  const outcomes = decisions.map((decision) => {
    const state = decision.by === null ? undefined : snapshot.refusedKey(decision.by)
    return state === undefined ? decision.decide(copy) : refusedKey(state)
  })
  return { outcomes, writes: copy.writes(), transitions: copy.transitions }
}

// The rules for creating, changing and deleting pets.

export function createPet(pet: NewPet, by: KeyId, key?: string): Decision<Created<Pet>> {
  const request = { operation: 'createPet', request: pet, by, key } as const
  return {
    by,
    touches: { key: key === undefined ? undefined : { by, key } },
    decide: (copy) => copy.answerOnce(request, () => copy.addPet(pet, by)),
  }
}

/** If the status is to change, an overdue reservation expires first. */
export function updatePet(id: bigint, change: PetChange, by: KeyId, check?: PetCheck): Decision<Pet> {
  return {
    by,
    touches: { petId: id },
    decide(copy): Pet | PetstoreError {
      const holder = change.status === undefined ? undefined : holderNow(copy, id)
      const pet = copy.pets.get(id)
      if (!pet) return noSuchPet(id)
      const after: Pet = { ...pet, ...change }
      const fields = Object.keys(change) as (keyof PetChange)[]
      // See updateOrder.
      if (fields.every((field) => after[field] === pet[field])) return check?.(pet, true) ?? pet
      if (after.status !== pet.status) {
        if (after.status !== 'available') return onlyAvailable()
        if (holder) return petHeld(pet, holder.id)
      }
      const refusal = check?.(pet)
      if (refusal) return refusal
      copy.pets.set(id, after)
      copy.events.push({ type: 'pet.changed', at: copy.now, by, petId: id, pet: after })
      return after
    },
  }
}

export function deletePet(id: bigint, by: KeyId, check?: PetCheck): Decision<undefined> {
  return {
    by,
    touches: { petId: id, everOrdered: id },
    decide(copy) {
      const pet = copy.pets.get(id)
      if (!pet) return noSuchPet(id)
      const refusal = copy.wasOrdered(id) ? petHasOrders(id) : check?.(pet)
      if (refusal) return refusal
      copy.pets.set(id, undefined)
      copy.events.push({ type: 'pet.deleted', at: copy.now, by, petId: id })
      return undefined
    },
  }
}

// The rules for placing, changing and expiring orders, and for their other status transitions. Each transition
// changes an order together with its pet, and each change emits an event.

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
      // resends a request because the response was lost learns that it was carried out (RFC 9110, 13.1.1).
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
function holderNow(copy: WorkingCopy, petId: bigint): StoredOrder | undefined {
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

/** `changedAt` never decreases, even if the clock was moved back. */
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
