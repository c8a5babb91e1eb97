// The entry of the package `petstore-client`: what a program may import.

export type {
  ErrorCode,
  Inventory,
  NewOrder,
  NewPet,
  Order,
  OrderChange,
  OrderStatus,
  PetChange,
  PetStatus,
} from '../contract/generated.ts'
export { stringifyJson as toJson } from '../json/json.ts'
export { PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError } from './errors.ts'
export {
  type ChangeOptions,
  type CreateOptions,
  type GetOrderOptions,
  type OrderFilter,
  type OrderPage,
  type PetFilter,
  type PetPage,
  PetstoreClient,
} from './petstore-client.ts'
export type { Fetch } from './request.ts'
export type { Pet } from './responses.ts'
export type { CallOptions, Deprecation, PetstoreClientOptions } from './sender.ts'
