// The rows that a store reads before it changes pets and orders. They must not change until the transaction ends.

import type { KeyId, RefusedKey } from '../keys.ts'
import type { NewOrder, Order } from '../orders.ts'
import type { NewPet, Pet } from '../pets.ts'

/** As it is stored. The name belongs to the pet. */
export type StoredOrder = Omit<Order, 'petName'>

/**
 * The rows that a change looks at. A store that reads ahead reads exactly these, and its snapshot contains nothing
 * else.
 */
export interface Touches {
  /** This pet, and the order that holds it. */
  readonly petId?: bigint
  /** Whether any order was ever placed for this pet. */
  readonly everOrdered?: bigint
  /** This order, and its pet. */
  readonly orderId?: bigint
  /** The first response to this idempotency key. */
  readonly key?: UsedKey | undefined
  /** The number of overdue reservations to read, with their pets. */
  readonly overdue?: number
}

/** An idempotency key belongs to an API key. */
export interface UsedKey {
  readonly by: KeyId
  readonly key: string
}

/** The operations that take an idempotency key. */
export interface Idempotent {
  createPet: { request: NewPet; answer: Pet }
  placeOrder: { request: NewOrder; answer: Order }
}

/** The first request with an idempotency key, and its response. */
export type FirstAnswer = {
  [Operation in keyof Idempotent]: { readonly operation: Operation } & Readonly<Idempotent[Operation]>
}[keyof Idempotent]

/** Methods can be called repeatedly; the working copy calls each once per row. */
export interface Snapshot {
  /** Milliseconds since 1970, by the clock of the store. */
  readonly now: number
  /** Returns why this API key can no longer write, if so. */
  refusedKey(by: KeyId): RefusedKey | undefined
  pet(id: bigint): Pet | undefined
  order(id: bigint): StoredOrder | undefined
  holder(petId: bigint): StoredOrder | undefined
  wasOrdered(petId: bigint): boolean
  firstAnswer(used: UsedKey): FirstAnswer | undefined
  /** Overdue reservations, longest first, as many as the changes touch. Their pets are pending. */
  overdue(): readonly StoredOrder[]
  /** The last ids in use. */
  lastPetId(): bigint
  lastOrderId(): bigint
}
