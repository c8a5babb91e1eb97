// Corrections: what a change makes of a pet or an order, and when it is refused. The same for every store, which reads the rows and writes
// the result in one transaction. What is so already is told before state and preconditions: a request that is sent again, because its answer
// was lost, learns that it was carried out (RFC 9110, 13.1.1).

import { PetstoreError } from '../../domain/errors.ts'
import type { Order, OrderChange, OrderCheck } from '../../domain/orders.ts'
import type { Pet, PetChange, PetCheck } from '../../domain/pets.ts'
import { invalidExpiry, isBadExpiry, orderNotFound } from './order-refusals.ts'

/** The pet as it shall be: the same object when nothing changes. `holder` gives the order that holds it, if any. */
export function correctedPet(
  id: bigint,
  pet: Pet | undefined,
  change: PetChange,
  holder: bigint | undefined,
  check?: PetCheck,
): Pet | PetstoreError {
  if (!pet) return noSuchPet(id)
  const after = changed(pet, change)
  if (after === pet) return check?.(pet, true) ?? pet
  if (change.status !== undefined && change.status !== pet.status) {
    if (change.status !== 'available') {
      const message = 'status can only be changed to available: orders make a pet pending or sold.'
      return new PetstoreError('invalid_pet', message)
    }
    if (holder !== undefined) return petHeld(pet, holder)
  }
  return check?.(pet) ?? after
}

/** The refusal, if any. */
export function deletionRefusal(
  id: bigint,
  pet: Pet | undefined,
  hasOrders: boolean,
  check?: PetCheck,
): PetstoreError | undefined {
  if (!pet) return noSuchPet(id)
  if (!hasOrders) return check?.(pet)
  const message = `Orders were placed for pet ${id}; only a pet without any can be deleted.`
  return new PetstoreError('pet_has_orders', message)
}

/** The order as it shall be: the same object when nothing changes. What is overdue has expired. */
export function correctedOrder(
  id: bigint,
  order: Order | undefined,
  { reference, expiresAt }: OrderChange,
  now: number,
  check?: OrderCheck,
): Order | PetstoreError {
  const after = changed(order ?? {}, {
    ...(reference === undefined ? {} : { reference: reference ?? undefined }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ?? undefined }),
  })
  if (after === order) return check?.(order, true) ?? order
  if (typeof expiresAt === 'number' && isBadExpiry(expiresAt, now)) return invalidExpiry()
  if (!order) return orderNotFound(id)
  if (order.status !== 'pending') {
    const message = `Order ${id} is ${order.status}: only a pending order can be changed.`
    return new PetstoreError('order_not_pending', message)
  }
  // A clock that was set back dates no change before the one that it follows.
  return check?.(order) ?? { ...order, ...after, changedAt: Math.max(now, order.changedAt) }
}

function changed<Row extends object>(row: Row, change: Partial<Row>): Row {
  const fields = Object.keys(change) as (keyof Row)[]
  return fields.some((field) => row[field] !== change[field]) ? { ...row, ...change } : row
}

function noSuchPet(id: bigint): PetstoreError {
  return new PetstoreError('not_found', `No pet has id ${id}.`)
}

function petHeld({ id, status }: Pet, order: bigint): PetstoreError {
  const remedy = status === 'sold' ? `Return order ${order}` : `Cancel order ${order}`
  const message = `Pet ${id} is ${status}: order ${order} holds it. ${remedy} to make the pet available.`
  return new PetstoreError('pet_held', message)
}
