// Pets, and the promises of every store about them. packages/service/test/store/sequences/ tests each store.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { ListFilter, Page } from './lists.ts'
import type { PetstoreError } from './petstore-error.ts'

export type { PetChange, PetStatus } from '../../../contract/src/generated.ts'

/** A new pet with the contract's defaults. */
export type NewPet = contract.NewPet & Required<Pick<contract.NewPet, 'status'>>
export type Pet = contract.Pet & NewPet

/**
 * A caller's precondition. Returns the error that rejects the change, if any. If the change is already in effect, it
 * changes nothing.
 */
export type PetCheck = (pet: Pet, alreadyInEffect?: boolean) => PetstoreError | undefined

export type PetFilter = ListFilter<Omit<contract.Operations['listPets']['parameters'], 'count'>>

/** A new resource, or a replay of the first response to the same idempotency key. */
export interface Created<Of> {
  readonly value: Of
  readonly replayed: boolean
}

export interface PetStore {
  /**
   * Lists at most `limit` pets by id, including every pet whose createPet has resolved on any server. Pets that are
   * added later have greater ids than all pets on pages read before.
   */
  listPets(filter: PetFilter): Promise<Page>

  /** Counts the pets on all pages of a list without `search`, but at most `max`. Does not delay other requests. */
  countPets(filter: PetFilter, max: number): Promise<number>

  /**
   * Resolves when the pet is durable. Ids increase from 1 and are never reused. While the store keeps an idempotency
   * key, repeating it with the same `by` returns the first response, on any server and after a restart, even if the pet
   * has changed. The transaction checks `by` again. Rejects with `invalid_api_key` if `by` was revoked or has
   * expired, even for a repeated call; with `idempotency_mismatch` if the key was used for another request; and
   * sometimes with `idempotency_in_flight` while the first call is running.
   */
  createPet(pet: NewPet, by: KeyId, idempotencyKey?: string): Promise<Created<Pet>>

  /** Resolves with `undefined` if there is no such pet. */
  getPet(id: bigint): Promise<Pet | undefined>

  /**
   * Changes the given fields and resolves when they are durable. A change that is already in effect succeeds. Checks
   * `by` as createPet does. Rejects with `not_found`; for an actual change also with `invalid_pet` (only orders can
   * set that status) or `pet_held` (an order holds the pet); otherwise as `check` decides inside the transaction.
   */
  updatePet(id: bigint, change: contract.PetChange, by: KeyId, check?: PetCheck): Promise<Pet>

  /** Deletes a pet that was never ordered. Rejects with `not_found`, `pet_has_orders`, or as `check` decides. */
  deletePet(id: bigint, by: KeyId, check?: PetCheck): Promise<void>
}
