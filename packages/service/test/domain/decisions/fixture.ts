// Pets and orders in memory for the tests of decisions, and the outcomes of decisions.

import { Rows } from '../../../../../test/support/rows-in-memory.ts'
import { createPet, expireOrders, moveOrder, placeOrder } from '../../../src/domain/decisions/decision.ts'
import type { Decision } from '../../../src/domain/decisions/working-copy.ts'
import { type RequestedTransition, TRANSITIONS, type TransitionTo } from '../../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'

export const BY = 1n
export const PET = 1n
export const ORDER = 1n
export const NEXT = 2n
const NO = new PetstoreError('precondition_failed', 'no')
export const no = () => NO
/** Accepts only requests that change nothing. */
export const so = (_: unknown, alreadyInEffect = false) => (alreadyInEffect ? undefined : NO)
export const REQUESTED = (Object.keys(TRANSITIONS) as TransitionTo[]).filter((to) => to !== 'expired')
export const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** A pet with an order of this status, which is overdue if `over`. */
export function withOrder(status: OrderStatus, over = false): Rows {
  const rows = withPet('available')
  const expiresAt = over ? rows.now + 1 : undefined
  rows.commit(placeOrder({ petId: PET, reference: 'r', expiresAt }, BY))
  for (const to of pathTo(status)) rows.commit(moveOrder(ORDER, to, BY))
  if (status === 'expired') {
    rows.orders.set(ORDER, { ...(rows.orders.get(ORDER) as NonNullable<unknown>), expiresAt: rows.now } as never)
    rows.commit(expireOrders(1))
  }
  rows.now += 5
  rows.events.length = 0
  return rows
}

/** The requests that take a pending order to this status. Expiry cannot be requested. */
function pathTo(status: OrderStatus): RequestedTransition[] {
  if (status === 'pending' || status === 'expired') return []
  return [...pathTo(TRANSITIONS[status].from[0]), status]
}

export function withPet(status: PetStatus): Rows {
  const rows = new Rows()
  rows.commit(createPet({ name: 'Rex', categoryId: 7n, status }, BY))
  rows.events.length = 0
  return rows
}

/** The value of a decision, or the code of its rejection. */
export function outcomeOf(rows: Rows, decision: Decision<unknown>): unknown {
  return shown(rows.commit(decision).outcomes[0])
}

/** The message of a rejection. */
export const messageOf = (rows: Rows, decision: Decision<unknown>) =>
  (rows.commit(decision).outcomes[0] as PetstoreError).message
export const shown = (outcome: unknown) => (outcome instanceof PetstoreError ? outcome.code : outcome)
export const emitted = (rows: Rows) => rows.events.map(({ type, orderId = '' }) => `${type} ${orderId}`.trim())
