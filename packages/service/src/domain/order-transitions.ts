// The state machine of orders: the transitions, the statuses they start from, and the pet's new status. Decisions,
// the page and tests read this table.

import type { ErrorCode, OrderStatus, PetStatus } from '../../../contract/src/generated.ts'

interface Transition {
  /** The statuses that allow the transition. */
  readonly from: readonly OrderStatus[]
  /** The pet's new status. */
  readonly pet: PetStatus
  /** In these statuses the transition is a no-op that succeeds. */
  readonly done: readonly OrderStatus[]
  /** The error in all other statuses. */
  readonly refusal: ErrorCode
}

/** By the order's new status. A new order starts as `pending`, and so does its pet. */
export const TRANSITIONS = {
  completed: { from: ['pending'], pet: 'sold', done: ['completed'], refusal: 'order_not_pending' },
  // Cancelling an expired reservation is a no-op.
  cancelled: { from: ['pending'], pet: 'available', done: ['cancelled', 'expired'], refusal: 'order_not_pending' },
  expired: { from: ['pending'], pet: 'available', done: ['expired'], refusal: 'order_not_pending' },
  returned: { from: ['completed'], pet: 'available', done: ['returned'], refusal: 'order_not_completed' },
} as const satisfies Record<Exclude<OrderStatus, 'pending'>, Transition>

export type TransitionTo = keyof typeof TRANSITIONS
/** The transitions that a caller can request. Only the service expires orders. */
export type RequestedTransition = Exclude<TransitionTo, 'expired'>

export function isDone(to: TransitionTo, status: OrderStatus): boolean {
  const { done }: Transition = TRANSITIONS[to]
  return done.includes(status)
}

export function leadsFrom(status: OrderStatus, to: TransitionTo): boolean {
  const { from }: Transition = TRANSITIONS[to]
  return from.includes(status)
}

/** Returns the pet's status while its order has this status. */
export function petStatusOf(status: OrderStatus): PetStatus {
  return status === 'pending' ? 'pending' : TRANSITIONS[status].pet
}

/** The statuses in which an order holds its pet. A pet has at most one such order. */
export const HOLDING: readonly OrderStatus[] = (['pending', ...Object.keys(TRANSITIONS)] as OrderStatus[]).filter(
  (status) => petStatusOf(status) !== 'available',
)
