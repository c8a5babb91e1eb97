// Orders as a state machine: what an order may become, from which status, and what that makes of its pet. Both stores, the page and the
// tests read this table.

import type { ErrorCode, OrderStatus, PetStatus } from '../contract/generated.ts'

interface Move {
  /** The status that an order must have. */
  readonly from: OrderStatus
  /** The status of its pet, before and after. */
  readonly pet: readonly [before: PetStatus, after: PetStatus]
  /** An order with one of these stays as it is, and that is no error: what is asked for is so already. */
  readonly done: readonly OrderStatus[]
  /** The refusal of any other order. */
  readonly refusal: ErrorCode
}

/** By the status that the order gets. A placed order begins as `pending`, and its pet with it. */
export const MOVES = {
  completed: { from: 'pending', pet: ['pending', 'sold'], done: ['completed'], refusal: 'order_not_pending' },
  cancelled: {
    from: 'pending',
    pet: ['pending', 'available'],
    // A reservation that has ended needs no cancelling.
    done: ['cancelled', 'expired'],
    refusal: 'order_not_pending',
  },
  expired: { from: 'pending', pet: ['pending', 'available'], done: ['expired'], refusal: 'order_not_pending' },
  returned: { from: 'completed', pet: ['sold', 'available'], done: ['returned'], refusal: 'order_not_completed' },
} as const satisfies Record<Exclude<OrderStatus, 'pending'>, Move>

export type Moved = keyof typeof MOVES
/** What a caller may ask for: the service alone expires orders. */
export type Asked = Exclude<Moved, 'expired'>

export function isDone(to: Moved, status: OrderStatus): boolean {
  const { done }: Move = MOVES[to]
  return done.includes(status)
}

/** The status that an order with this one gives its pet. */
export function petStatusOf(status: OrderStatus): PetStatus {
  return status === 'pending' ? 'pending' : MOVES[status].pet[1]
}

/** The statuses in which an order holds its pet: a pet has at most one such order. */
export const HOLDING: readonly OrderStatus[] = (['pending', ...Object.keys(MOVES)] as OrderStatus[]).filter(
  (status) => petStatusOf(status) !== 'available',
)
