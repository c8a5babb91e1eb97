// Animals, and what every store of them promises. test/store.conformance.ts holds each store to it.

import type * as contract from '../contract/generated.ts'
import type { KeyId } from './keys.ts'

export type { PetStatus } from '../contract/generated.ts'

/** As it is stored: the contract's default has been filled in. */
export type NewPet = Required<contract.NewPet>
export type Pet = Required<contract.Pet>

export interface PetFilter {
  limit: number
  status?: contract.PetStatus | undefined
  /** Only animals with a greater id: the last one of the page before. */
  after?: bigint | undefined
}

export interface Page {
  /** The animals as a JSON array, as the contract writes them. */
  readonly json: string
  /** After which id the next page begins; `undefined` when no more animals follow. */
  readonly next: bigint | undefined
}

/** What a create gave: a new one, or again what the first request under the same idempotency key was given. */
export interface Created<Of> {
  readonly value: Of
  readonly replayed: boolean
}

/** @deprecated goes as soon as createPet is one method. */
export interface Once {
  readonly pet: Pet
  /** An earlier call under the same idempotency key added it. */
  readonly replayed: boolean
}

export interface PetStore {
  /**
   * Oldest first (by id), at most `limit`. Sees every animal whose createPet has resolved, on whichever server. No
   * animal is ever added behind one that a page has already shown.
   */
  listPets(filter: PetFilter): Promise<Page>

  /** Resolves once the animal is durable. Ids rise from 1 and are never reused. */
  createPet(pet: NewPet, by: KeyId): Promise<Pet>

  /**
   * The same, but once under each idempotency key, however often it is called, on whichever server, across restarts: for
   * 24 hours the same key of the same `by` gives the same animal. Rejects with `idempotency_mismatch` when the key was
   * used for another animal, and may reject with `idempotency_in_flight` while the first call is still running.
   */
  createPetOnce(pet: NewPet, by: KeyId, idempotencyKey: string): Promise<Once>

  /** `undefined` when there is no such animal: absence is a value, not an error. */
  getPet(id: bigint): Promise<Pet | undefined>
}
