// What the rest of the service knows of a store: animals, keys, and that it opens, answers and closes.

import type { KeyStore } from './keys.ts'
import type { PetStore } from './pets.ts'

export interface Store extends PetStore, KeyStore {
  /**
   * Equal numbers: nothing has been committed between the two calls, by whomever. `undefined` where that cannot be told for
   * less than what a query costs.
   */
  freshness(): number | undefined

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
