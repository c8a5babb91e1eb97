// Orders as a state machine: what an order may become, from which statuses, and what that makes of its pet. What decides about orders, the
// page and the tests read this table.

import type { ErrorCode, OrderStatus, PetStatus } from '../../../contract/src/generated.ts'

interface Transition {
  /** The statuses of which an order must have one. */
  readonly from: readonly OrderStatus[]
  /** The status that its pet gets. */
  readonly pet: PetStatus
  /** An order with one of these stays as it is, and that is no error: the transition was made already. */
  readonly done: readonly OrderStatus[]
  /** The refusal of any other order. */
  readonly refusal: ErrorCode
}

/** By the status that the order gets. A placed order begins as `pending`, and its pet with it. */
export const TRANSITIONS = {
  completed: { from: ['pending'], pet: 'sold', done: ['completed'], refusal: 'order_not_pending' },
  // A reservation that has ended needs no cancelling.
  cancelled: { from: ['pending'], pet: 'available', done: ['cancelled', 'expired'], refusal: 'order_not_pending' },
  expired: { from: ['pending'], pet: 'available', done: ['expired'], refusal: 'order_not_pending' },
  returned: { from: ['completed'], pet: 'available', done: ['returned'], refusal: 'order_not_completed' },
} as const satisfies Record<Exclude<OrderStatus, 'pending'>, Transition>

export type TransitionTo = keyof typeof TRANSITIONS
/** What a caller may request: the service alone expires orders. */
export type RequestedTransition = Exclude<TransitionTo, 'expired'>

export function isDone(to: TransitionTo, status: OrderStatus): boolean {
  const { done }: Transition = TRANSITIONS[to]
  return done.includes(status)
}

export function leadsFrom(status: OrderStatus, to: TransitionTo): boolean {
  const { from }: Transition = TRANSITIONS[to]
  return from.includes(status)
}

/** The status that an order with this one gives its pet. */
export function petStatusOf(status: OrderStatus): PetStatus {
  return status === 'pending' ? 'pending' : TRANSITIONS[status].pet
}

/** The statuses in which an order holds its pet: a pet has at most one such order. */
export const HOLDING: readonly OrderStatus[] = (['pending', ...Object.keys(TRANSITIONS)] as OrderStatus[]).filter(
  (status) => petStatusOf(status) !== 'available',
)
