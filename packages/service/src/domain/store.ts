// The port of a store: pets, orders, events and keys, and the state of the store itself.

import type { EventStore } from './events.ts'
import type { KeyStore } from './keys.ts'
import type { OrderStore, Transition } from './orders.ts'
import type { PetStore } from './pets.ts'

/** Numbers that rise with commits. */
export interface StoreVersion {
  /** Between two equal numbers nothing was committed, by any process. `undefined` where to know that would cost as much as a query. */
  readonly data: number | undefined
  /**
   * Between two equal numbers no API key changed. Where `data` is `undefined`, another process may have changed one, up to half a
   * second ago. Creates and orders of this process leave it as it is.
   */
  readonly keys: number
}

export interface Store extends PetStore, KeyStore, OrderStore, EventStore {
  /** Includes every commit before the call. */
  version(): StoreVersion

  /**
   * The pool of connections for reads, if there is one. `waiting`: calls that wait for a free connection. `failures`: connections for reads
   * and writes that could not be opened so far.
   */
  pool?(): { size: number; busy: number; waiting: number; failures: number }

  /** How long the longest wait for a lock of the database has lasted, if other programs can lock it. */
  lockWaitSeconds?(): Promise<number>

  /** Resolves when the store can be read; otherwise rejects with `unavailable`. */
  ping(): Promise<void>

  /** Waits for the calls in progress. No method may be called afterwards. */
  close(): Promise<void>
}

export interface SchemaState {
  /** 0 when there is no schema yet. */
  version: number
  /** The version of this program. */
  newest: number
  /** Why this version cannot open it: completes a sentence about the store. */
  refused?: string | undefined
}

/** What an operator has to look at. `lost`: nothing is served any more. */
interface Trouble {
  lost: boolean
  reason: string
}

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds on a clock that nobody can set, by default `monotonicMs` of the runtime. */
  monotonic?: (() => number) | undefined
  /** Any other store is refused, and none is created: see `StoreKind.identify`. */
  identity?: string | undefined
  /** Called with sentences for people about the migration of a store that was there before. */
  onMigration?: ((sentence: string) => void) | undefined
  /** For the target of a copy: a new store is marked as unfinished, and one that is marked is not refused. */
  copying?: boolean
  /** For a service, not for a command. */
  serves?: boolean
  /** Called once for each trouble, when it is noticed. */
  onTrouble?: ((trouble: Trouble) => void) | undefined
  /** Called after each commit of creates, with their number and the duration. */
  onBatch?: ((size: number, seconds: number) => void) | undefined
  /**
   * Called after each commit that changed orders, with each change once: also the reservations that a call found overdue, and
   * no repeats. Not called for a commit whose outcome is unknown.
   */
  onTransitions?: ((transitions: readonly Transition[]) => void) | undefined
}
