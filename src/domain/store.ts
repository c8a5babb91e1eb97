// What the rest of the service knows of a store: pets, orders, keys, and that it opens, answers and closes.

import type { KeyStore } from './keys.ts'
import type { OrderStore } from './orders.ts'
import type { PetStore } from './pets.ts'

export interface Store extends PetStore, KeyStore, OrderStore {
  /**
   * Which state the store is in: between two equal numbers nothing was committed, by whomever. Resolves once for all who ask
   * in one turn of the event loop, after the last of them. Absent where it would cost as much as a query.
   */
  version?(): Promise<number>

  /** Of the connections that answer reads, where there are several; `waiting`: calls for which none is free. */
  pool?(): { size: number; busy: number; waiting: number }

  /** Resolves when the store can answer; rejects with `unavailable` otherwise. */
  ping(): Promise<void>

  /** After what was asked before has been done. Nothing may be asked afterwards. */
  close(): Promise<void>
}

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now: () => number
  /** Told of each commit of creates: how many they were, and how long it took. */
  onBatch?: ((size: number, seconds: number) => void) | undefined
}
