// The package's entry, `petstore/client`: what a program may import.

export type { ErrorCode, NewPet, PetStatus } from '../contract/generated.ts'
export { stringifyJson as toJson } from '../json/json.ts'
export { PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError } from './errors.ts'
export {
  type CallOptions,
  type CreateOptions,
  type Deprecation,
  type PetFilter,
  type PetPage,
  PetstoreClient,
  /** @deprecated Use PetstoreClient. */
  PetstoreClient as PetStore,
  type PetstoreClientOptions,
  /** @deprecated Use PetstoreClientOptions. */
  type PetstoreClientOptions as PetStoreOptions,
} from './petstore-client.ts'
export type { Fetch } from './request.ts'
export type { Pet } from './responses.ts'
