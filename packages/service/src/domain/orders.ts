// Orders, and what every store of them promises. An order moves a pet: pending → reserved, completed → sold, and back. Each
// method is one transaction: the order, its pet, the inventory, the idempotency key, and who did it and when.
// packages/service/test/store/sequences/ holds each store to it.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { ListFilter, Page } from './lists.ts'
import type { Created, PetStatus } from './pets.ts'
import type { PetstoreError } from './petstore-error.ts'

export type { OrderStatus } from '../../../contract/src/generated.ts'

/** Times are milliseconds since 1970. Until `expiresAt` it is a reservation; without it, until somebody ends it. */
export type NewOrder = {
  readonly [Name in keyof Placed]: undefined extends Placed[Name] ? Placed[Name] | undefined : Placed[Name]
}
type Placed = contract.Operations['placeOrder']['body']

/** The fields that `updateOrder` can change. */
export type OrderTerms = Pick<NewOrder, 'reference' | 'expiresAt'>

/** `null` removes what there is. */
export type OrderChange = Readonly<contract.Operations['updateOrder']['body']>

export interface Order extends NewOrder, Readonly<Pick<contract.Order, 'id' | 'petName' | 'status'>> {
  readonly placedAt: number
  /** When it was placed or, later, when anything of it last changed: never before `placedAt`. */
  readonly changedAt: number
}

export type OrderFilter = ListFilter<contract.Operations['listOrders']['parameters']>

export type ExpiredOrder = Pick<Order, 'id' | 'petId'>

/** An order that went into `status`. */
export type Transition = Pick<Order, 'id' | 'petId' | 'status'>

/**
 * A precondition of a caller: gives the error with which the change of the order is refused, if any. `isSo`: the order is already as the
 * change wants it, and nothing would change.
 */
export type OrderCheck = (order: Order, isSo?: boolean) => PetstoreError | undefined

/** The number of pets with each status. */
export type Inventory = Readonly<Record<PetStatus, bigint>>

/** Whatever takes `by` looks at it once more in the transaction, and rejects as `PetStore.createPet` does. */
export interface OrderStore {
  /**
   * Reserves an available pet. Resolves once order and pet are durable. An overdue reservation of the pet is expired first. The
   * same idempotency key of the same `by` returns the first answer again, even when the order or the pet has changed since.
   * Rejects with `pet_not_found`, `pet_not_available`, `invalid_order` (`expiresAt` is past or too far ahead, by the store's
   * clock), `idempotency_mismatch`, or `idempotency_in_flight`.
   */
  placeOrder(order: NewOrder, by: KeyId, idempotencyKey?: string): Promise<Created<Order>>

  /** `undefined` when there is no such order. */
  getOrder(id: bigint): Promise<Order | undefined>

  /** By id, at most `limit`, as JSON. No order is ever added behind one that a page has already shown. */
  listOrders(filter: OrderFilter): Promise<Page>

  /**
   * The pet is sold. An order that is completed already stays as it is. Rejects with `not_found`, `order_not_pending`, or else as `check`
   * says of the order as the transaction finds it. `check` may be called several times.
   */
  completeOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /** The pet is available again. A cancelled or expired order stays as it is; an overdue one expires instead. Rejects as `completeOrder`. */
  cancelOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /** A sold pet comes back. A returned order stays as it is. Rejects as `completeOrder`, but with `order_not_completed`. */
  returnOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /**
   * Sets what the change names of a pending order; what is so already is left as it is, also of an order that has ended. An overdue one
   * expires instead. Rejects with `not_found`; where something changes, with `invalid_order` (`expiresAt`, as `placeOrder` does) or
   * `order_not_pending`; or else as `check` says.
   */
  updateOrder(id: bigint, change: OrderChange, by: KeyId, check?: OrderCheck): Promise<Order>

  /** Exact as of one commit; costs the same with ten pets and ten million. */
  getInventory(): Promise<Inventory>

  /**
   * Expires up to `limit` overdue reservations in one transaction: when it is not given, so many that requests hardly wait for it.
   * Resolves with them. Any server may call it at any time.
   */
  expireOrders(limit?: number): Promise<ExpiredOrder[]>
}
