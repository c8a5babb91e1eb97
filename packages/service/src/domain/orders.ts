// Orders, and the promises of every store about them. An order moves its pet from available to pending (reserved) and
// sold, and back. Each method is one transaction over the order, its pet, the inventory, the idempotency key and the
// event. packages/service/test/store/sequences/ tests each store.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { ListFilter, Page } from './lists.ts'
import type { Created, PetStatus } from './pets.ts'
import type { PetstoreError } from './petstore-error.ts'

export type { OrderStatus } from '../../../contract/src/generated.ts'

/**
 * Times are milliseconds since 1970. With `expiresAt` the order is a reservation; without it, the order stays pending
 * until it is completed or cancelled.
 */
export type NewOrder = {
  readonly [Name in keyof Placed]: undefined extends Placed[Name] ? Placed[Name] | undefined : Placed[Name]
}
type Placed = contract.Operations['placeOrder']['body']

/** The fields that `updateOrder` can change. */
export type OrderTerms = Pick<NewOrder, 'reference' | 'expiresAt'>

/** `null` removes a field. */
export type OrderChange = Readonly<contract.Operations['updateOrder']['body']>

export interface Order extends NewOrder, Readonly<Pick<contract.Order, 'id' | 'petName' | 'status'>> {
  readonly placedAt: number
  /** The time of the last change, or of the placement; never before `placedAt`. */
  readonly changedAt: number
}

export type OrderFilter = ListFilter<contract.Operations['listOrders']['parameters']>

export type ExpiredOrder = Pick<Order, 'id' | 'petId'>

/** An order that changed to `status`. */
export type Transition = Pick<Order, 'id' | 'petId' | 'status'>

/**
 * A caller's precondition. Returns the error that rejects the change, if any. If the change is already in effect, it
 * changes nothing.
 */
export type OrderCheck = (order: Order, alreadyInEffect?: boolean) => PetstoreError | undefined

/** The number of pets with each status. */
export type Inventory = Readonly<Record<PetStatus, bigint>>

/** Methods with `by` check it again in the transaction, and reject as `PetStore.createPet` does. */
export interface OrderStore {
  /**
   * Reserves an available pet and resolves when the order is durable. Expires an overdue reservation of the pet
   * first. Repeating an idempotency key with the same `by` returns the first response, even if the order or the pet has
   * changed. Rejects with `pet_not_found`, `pet_not_available`, `invalid_order` (`expiresAt` is past or too far ahead
   * by the store's clock), `idempotency_mismatch` or `idempotency_in_flight`.
   */
  placeOrder(order: NewOrder, by: KeyId, idempotencyKey?: string): Promise<Created<Order>>

  /** Resolves with `undefined` if there is no such order. */
  getOrder(id: bigint): Promise<Order | undefined>

  /**
   * Lists at most `limit` orders by id, as JSON. Orders that are added later have greater ids than all orders on
   * pages read before.
   */
  listOrders(filter: OrderFilter): Promise<Page>

  /**
   * Sells the pet. Does nothing if the order is already completed. Rejects with `not_found`, `order_not_pending`, or
   * as `check` decides inside the transaction, where it may be called several times.
   */
  completeOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /**
   * Makes the pet available again. Does nothing if the order is cancelled or expired; an overdue order expires
   * instead. Rejects as `completeOrder` does.
   */
  cancelOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /**
   * Makes a sold pet available again. Does nothing if the order is returned. Rejects as `completeOrder` does, but
   * with `order_not_completed`.
   */
  returnOrder(id: bigint, by: KeyId, check?: OrderCheck): Promise<Order>

  /**
   * Changes the given fields of a pending order. A change that is already in effect succeeds, even if the order has
   * ended. An overdue order expires instead. Rejects with `not_found`; for an actual change also with `invalid_order`
   * (as `placeOrder`) or `order_not_pending`; otherwise as `check` decides.
   */
  updateOrder(id: bigint, change: OrderChange, by: KeyId, check?: OrderCheck): Promise<Order>

  /** Returns the order as JSON, byte for byte as lists have it. */
  orderJson(order: Order): string

  /** Counts are exact as of one commit. The cost does not grow with the number of pets. */
  getInventory(): Promise<Inventory>

  /**
   * Expires up to `limit` overdue reservations in one transaction and resolves with them. The default keeps the
   * transaction short enough for requests to wait. Any server can call it at any time.
   */
  expireOrders(limit?: number): Promise<ExpiredOrder[]>
}
