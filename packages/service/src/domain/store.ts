// The port of a store: pets, orders, events, keys and names, and the state of the store itself.

import type { EventStore } from './events.ts'
import type { KeyStore } from './keys.ts'
import type { Limits } from './limits.ts'
import type { NameStore } from './names.ts'
import type { OrderStore, Transition } from './orders.ts'
import type { PetStore } from './pets.ts'

/** Numbers that increase with commits. */
export interface StoreVersion {
  /**
   * If two reads are equal, no process committed anything in between. `undefined` if reading it would cost as much as
   * a query.
   */
  readonly data: number | undefined
  /**
   * If two reads are equal, no API key changed in between. If `data` is `undefined`, it can miss changes that another
   * process made in the last half second. Changes of pets and orders by this process leave it unchanged.
   */
  readonly keys: number
}

export interface Store extends PetStore, KeyStore, OrderStore, EventStore, NameStore {
  /** Includes every commit before the call. */
  version(): StoreVersion

  /**
   * The pool of read connections, if there is one. `waiting`: calls that wait for a free connection. `failures`: how
   * often opening a connection, for reads or writes, has failed. `changes`: how often the primary has changed.
   */
  pool?(): {
    size: number
    busy: number
    waiting: number
    failures: number
    changes: Readonly<Record<PrimaryChange, number>>
  }

  /** Resolves with the longest current wait for a database lock, if other programs can lock the database. */
  lockWaitSeconds?(): Promise<number>

  /** Resolves if the store can be read; otherwise rejects with `unavailable`. */
  ping(): Promise<void>

  /** Waits for calls in progress. Do not call any method afterwards. */
  close(): Promise<void>
}

export interface SchemaState {
  /** 0 if there is no schema yet. */
  version: number
  /** The newest version that this program knows. */
  newest: number
  /** Why this program cannot open the store: completes a sentence about the store. */
  refused?: string | undefined
}

/** The reasons for a change of the database's primary; docs/postgresql.md explains them. */
export const PRIMARY_CHANGES = [
  'found',
  'ready',
  'late_commit',
  'settled',
  'lost',
  'refused',
  'replaced',
  'divided',
  'renewed',
  'closed',
] as const
export type PrimaryChange = (typeof PRIMARY_CHANGES)[number]

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now: () => number
  /** A clock that cannot be set, in milliseconds. Default: `monotonicMs` of the runtime. */
  monotonic?: (() => number) | undefined
  /** Opens only the store with this identity, and creates none: see `StoreKind.identify`. */
  identity?: string | undefined
  /** Called with sentences about the migration of an existing store. */
  onMigration?: ((sentence: string) => void) | undefined
  /** For a command: throws StartError instead of creating or migrating the store. */
  current?: boolean | undefined
  /** True for a service, false for a command. */
  serves?: boolean
  /** Called once for each problem that needs the operator. `lost`: the store no longer serves requests. */
  onTrouble?: ((trouble: { lost: boolean; reason: string }) => void) | undefined
  /** Called for each attempt to open another connection to the database that failed. */
  onConnectionFailure?: ((error: unknown) => void) | undefined
  /** Called for each change of the database's primary. `blockedMs`: how long writes were rejected until `settled`. */
  onPrimaryChange?:
    | ((change: { reason: PrimaryChange; host: string | undefined; blockedMs: number | undefined }) => void)
    | undefined
  limits?: Pick<Limits, 'batchMax' | 'idempotencyMs'> | undefined
  /** Called after each group commit, with the number of changes and the duration. */
  onBatch?: ((size: number, seconds: number) => void) | undefined
  /**
   * Called after each commit that changed orders, including overdue reservations that the call expired. Repeated
   * requests are left out, and so are commits with an unknown outcome.
   */
  onTransitions?: ((transitions: readonly Transition[]) => void) | undefined
}
