// The public exports of the package `petstore-client`.

export type {
  ErrorCode,
  EventType,
  Inventory,
  NewOrder,
  NewPet,
  Order,
  OrderChange,
  OrderStatus,
  OrderTerms,
  PetChange,
  PetStatus,
} from '../../contract/src/generated.ts'
export { stringifyJson as toJson } from '../../contract/src/json.ts'
export { PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError, PetstoreUncertainError } from './errors.ts'
export type { EventPage, Followed, FollowOptions } from './events.ts'
export {
  type ChangeOptions,
  type CreateOptions,
  type EventFilter,
  type OrderFilter,
  type OrderPage,
  type PetFilter,
  type PetPage,
  PetstoreClient,
  type TagOptions,
} from './petstore-client.ts'
export type { Event, Pet } from './responses.ts'
export type { Fetch } from './retries.ts'
export type { CallOptions, Deprecation, PetstoreClientOptions } from './sender.ts'
