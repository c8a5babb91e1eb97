// What a store reads before it changes pets and orders: what the changes touch, as the transaction finds it. Nothing of it may change
// until the transaction ends.

import type { KeyId, RefusedKey } from '../keys.ts'
import type { NewOrder, Order } from '../orders.ts'
import type { NewPet, Pet } from '../pets.ts'

/** As it is stored: the name belongs to the pet. */
export type StoredOrder = Omit<Order, 'petName'>

/** What a change looks at. A store that reads ahead reads this, and its snapshot knows nothing else. */
export interface Touches {
  /** The pet, and the order that holds it. */
  readonly petId?: bigint
  /** Whether any order was ever placed for this pet. */
  readonly everOrdered?: bigint
  /** The order, and its pet. */
  readonly orderId?: bigint
  /** The first answer under an idempotency key. */
  readonly key?: UsedKey | undefined
  /** So many overdue reservations, and their pets. */
  readonly overdue?: number
}

/** An idempotency key belongs to an API key. */
export interface UsedKey {
  readonly by: KeyId
  readonly key: string
}

/** The operations that take an idempotency key, by their operationIds. */
export interface Idempotent {
  createPet: { request: NewPet; answer: Pet }
  placeOrder: { request: NewOrder; answer: Order }
}

/** What an idempotency key was used for first. */
export type FirstAnswer = {
  [Operation in keyof Idempotent]: { readonly operation: Operation } & Readonly<Idempotent[Operation]>
}[keyof Idempotent]

/** Each method may be called again and again; the working copy calls it once. */
export interface Snapshot {
  /** Milliseconds since 1970, by the clock of the store. */
  readonly now: number
  /** Why this API key may no longer write, if so. */
  refusedKey(by: KeyId): RefusedKey | undefined
  pet(id: bigint): Pet | undefined
  order(id: bigint): StoredOrder | undefined
  /** The order that holds the pet, if any. */
  holder(petId: bigint): StoredOrder | undefined
  wasOrdered(petId: bigint): boolean
  firstAnswer(used: UsedKey): FirstAnswer | undefined
  /** The reservations that are overdue, longest first: as many as the changes touch. Their pets are pending. */
  overdue(): readonly StoredOrder[]
  /** The ids that were given last: the next ones follow them. */
  lastPetId(): bigint
  lastOrderId(): bigint
}
