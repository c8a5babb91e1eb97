// Pets, and what every store of them promises. packages/service/test/store/sequences/ holds each store to it.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { ListFilter, Page } from './lists.ts'
import type { PetstoreError } from './petstore-error.ts'

export type { PetChange, PetStatus } from '../../../contract/src/generated.ts'

/** As it is stored, with the contract's defaults. */
export type NewPet = contract.NewPet & Required<Pick<contract.NewPet, 'status'>>
export type Pet = contract.Pet & NewPet

/**
 * A precondition of a caller: gives the error with which the change of the pet is refused, if any. `isSo`: the pet is already as the change
 * wants it, and nothing would change.
 */
export type PetCheck = (pet: Pet, isSo?: boolean) => PetstoreError | undefined

export type PetFilter = ListFilter<contract.Operations['listPets']['parameters']>

/** The result of a create: something new, or a replay of the first answer to the same idempotency key. */
export interface Created<Of> {
  readonly value: Of
  readonly replayed: boolean
}

export interface PetStore {
  /**
   * By id, at most `limit`. Includes every pet whose createPet has resolved, on any server. A pet that is added later always has a
   * greater id than those on a page that was read before.
   */
  listPets(filter: PetFilter): Promise<Page>

  /**
   * Resolves once the pet is durable. Ids rise from 1 and are never reused. As long as it is kept, the same idempotency key of the same
   * `by` returns the first answer again, on any server and after a restart, even when the pet has changed since. `by` is looked at once
   * more in the transaction: rejects with `invalid_api_key` when it has been revoked or has expired, also where the call is a repeat; with
   * `idempotency_mismatch` when the key was used for another request, and may reject with `idempotency_in_flight` while the
   * first call is still running.
   */
  createPet(pet: NewPet, by: KeyId, idempotencyKey?: string): Promise<Created<Pet>>

  /** `undefined` when there is no such pet: absence is a value, not an error. */
  getPet(id: bigint): Promise<Pet | undefined>

  /**
   * Sets what the change names. Resolves once that is durable; what is so already is left as it is. `by` is looked at in the transaction, as
   * in createPet. Rejects with `not_found`; where something changes, with `invalid_pet` for a status that only an order can give, or
   * `pet_held` where an order holds the pet that is to be available; or else as `check` says of the pet as the transaction finds it.
   */
  updatePet(id: bigint, change: contract.PetChange, by: KeyId, check?: PetCheck): Promise<Pet>

  /** Removes a pet for which no order was ever placed. Rejects with `not_found`, `pet_has_orders`, or else as `check` says. */
  deletePet(id: bigint, by: KeyId, check?: PetCheck): Promise<void>
}
