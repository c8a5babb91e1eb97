// The contract's types. Written by `npm run generate` from openapi.yaml; not edited by hand.
// int64 is bigint; date-time and date are strings. A field with a default is optional, as in a request. Parameters and bodies in Operations
// have the types that the validators return: fields with a default are present, and date-times are milliseconds since 1970.
// Open sets, such as ErrorCode, have the values that this version knows.
// It also exports the values of closed sets, some bounds, and the schema of a new pet.

/** The order of a list, by id. */
export type Sort = 'oldest' | 'newest'
export const SORTS = ['oldest', 'newest'] as const

/** Availability of a pet. */
export type PetStatus = 'available' | 'pending' | 'sold'
export const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** A pet to add. */
export type NewPet = {
  /** The pet's name: 1 to 255 Unicode code points, at least one of them not white space, no U+0000. Stored and
   * returned unchanged, without trimming or normalisation. */
  name: string
  /** Identifier of the category. The service does not check that the category exists. */
  categoryId: bigint
  /** Availability of the pet. */
  status?: PetStatus
}

/** A pet of the store. */
export type Pet = {
  /** Unique identifier that the service assigns on creation and never reuses. */
  id: bigint
} & NewPet

/** The fields of a pet to change, at least one of them. */
export type PetChange = {
  /** The pet's name, as in `NewPet`. */
  name?: string
  /** Identifier of the category. */
  categoryId?: bigint
  /** `available`, or the pet's current status. */
  status?: PetStatus
}

/** `pending`: the pet is reserved. `completed`: the pet is sold. `cancelled`: the reservation was cancelled. `expired`: the
 * reservation ended at `expiresAt`. `returned`: the pet was sold and taken back. */
export type OrderStatus = 'pending' | 'completed' | 'cancelled' | 'expired' | 'returned'
export const ORDER_STATUSES = ['pending', 'completed', 'cancelled', 'expired', 'returned'] as const

/** An order to place. */
export type NewOrder = {
  /** Identifier of the pet to reserve. */
  petId: bigint
  /** Free text of the client, such as a receipt, a till or a customer: 1 to 255 Unicode code points, at least
   * one of them not white space, no U+0000. Stored and returned unchanged, without trimming or normalisation. */
  reference?: string
  /** When the reservation ends (RFC 3339 with an offset, such as `2026-11-21T19:00:00+01:00`, without a leap
   * second): in the future, and at most 366 days ahead. Returned in UTC with milliseconds. Without it, the
   * order is pending until it is completed or cancelled. */
  expiresAt?: string
}

/** An order of the store. */
export type Order = {
  /** Unique identifier that the service assigns and never reuses. */
  id: bigint
  /** Name of the pet. */
  petName: string
  status: OrderStatus
  /** When the order was placed, in UTC with milliseconds. */
  placedAt: string
  /** When the order last changed, in UTC with milliseconds. Equal to `placedAt` until the first change. */
  changedAt: string
} & NewOrder

/** The fields of an order to change, at least one of them. `null` removes a field. */
export type OrderChange = {
  /** Free text of the client, as in `NewOrder`. */
  reference?: string | null
  /** When the reservation ends, as in `NewOrder`: in the future, and at most 366 days from now. With `null`,
   * the order is pending until it is completed or cancelled. */
  expiresAt?: string | null
}

/** How many pets have each status. */
export type Inventory = {
  /** Pets that can be ordered. */
  available: bigint
  /** Pets that are reserved. */
  pending: bigint
  /** Pets that are sold. */
  sold: bigint
}

/** The kind of event. New types can be added: skip an event of an unknown type.
 * 
 * - `pet.added`, `pet.changed`, `pet.deleted`: a pet was added, corrected, or deleted.
 * - `order.placed`, `order.completed`, `order.cancelled`, `order.expired`, `order.returned`: an order got this
 *   status, and its pet changed with it.
 * - `order.changed`: the reference or the end of a pending order was changed. */
export type EventType = 'pet.added' | 'pet.changed' | 'pet.deleted' | 'order.placed' | 'order.changed' | 'order.completed' | 'order.cancelled' | 'order.expired' | 'order.returned'

/** An event of a pet. */
export type Event = {
  /** Increases from event to event, possibly with gaps. */
  id: bigint
  type: EventType
  /** When it happened, in UTC with milliseconds. */
  at: string
  /** Name of the API key that made the change; absent if the service made it. */
  by?: string
  /** Identifier of the pet. */
  petId: bigint
  /** Status of the pet right after the event; absent if it was deleted. */
  petStatus?: PetStatus
  /** The pet right after the event; absent if it was deleted. Order events of versions before 2.0.0 have no
   * `pet`. */
  pet?: Pet
  /** Identifier of the order, in order events. */
  orderId?: bigint
  /** Status of the order right after the event, in order events. */
  orderStatus?: OrderStatus
  /** The terms of the order right after the event, in order events. Version 1.1.0 wrote them in `order.placed`
   * and `order.changed` only, and version 1.0.0 in none. */
  terms?: OrderTerms
}

/** An order's reference and end; `{}` if it has neither. Events never change, so a reference that was removed
 * from its order, or replaced, stays in earlier events. Use a receipt number instead of a person's name. */
export type OrderTerms = {
  /** As in `NewOrder`. */
  reference?: string
  /** When the reservation ends, in UTC with milliseconds. */
  expiresAt?: string
}

/** An error. */
export type Error = {
  code: ErrorCode
  /** For people; the text can change. It lists every problem of the request, each with its field. */
  message: string
  /** The HTTP status of the response. */
  status: number
}

/** The kind of error, for programs. New codes can be added: treat an unknown code by its status.
 * 
 * - `missing_api_key` (401): the request has no API key.
 * - `invalid_api_key` (401): the API key is mistyped, unknown, revoked or expired, or belongs to the other environment.
 * - `read_only_key` (403): the API key is read-only.
 * - `invalid_parameter` (400): a query parameter or a header has an invalid value.
 * - `malformed_json` (400): the body is not JSON, or an object in it has the same name twice.
 * - `invalid_pet` (400): the body is JSON, but not a valid `NewPet` or `PetChange`.
 * - `not_found` (404): no pet or order has this id, or nothing exists at this path.
 * - `method_not_allowed` (405): the path does not have this method. `Allow` lists its methods.
 * - `unsupported_media_type` (415): the body is not `application/json` in UTF-8, or is compressed.
 * - `body_too_large` (413): the body is larger than 64 KiB.
 * - `request_timeout` (408): the body did not arrive in time.
 * - `idempotency_in_flight` (409): the first request with this `Idempotency-Key` is still in progress.
 * - `idempotency_mismatch` (422): this `Idempotency-Key` was used for another request.
 * - `invalid_order` (400): the body is JSON, but not a valid `NewOrder` or `OrderChange`.
 * - `pet_not_found` (404): no pet has the `petId` of the order.
 * - `pet_not_available` (409): the pet is reserved or sold.
 * - `order_not_pending` (409): only a pending order can be completed, cancelled or changed.
 * - `order_not_completed` (409): only a completed order can be returned.
 * - `pet_held` (409): an order holds the pet, so it cannot be set to `available`.
 * - `pet_has_orders` (409): orders were placed for the pet, so it cannot be deleted.
 * - `precondition_failed` (412): `If-Match` or, for a change, `If-None-Match` does not hold for the current entity tag.
 * - `invalid_names` (400): the body is not a valid list of names. Only `PUT /names`, outside this contract.
 * - `names_in_file` (409): a file of the service has the names. Only `PUT /names`.
 * - `precondition_required` (428): the request has no `If-Match`. Only `PUT /names`.
 * - `rate_limited` (429): the API key has sent too many requests.
 * - `operation_removed` (410): the operation was removed on its sunset date.
 * - `cursor_expired` (410): the store was restored or copied, or lost events, since this cursor was given. Start again.
 * - `internal` (500): the service failed.
 * - `unavailable` (503): the service is overloaded, or its store cannot be reached.
 * - `storage_full` (503): the store is full. */
export type ErrorCode = 'missing_api_key' | 'invalid_api_key' | 'read_only_key' | 'invalid_parameter' | 'malformed_json' | 'invalid_pet' | 'not_found' | 'method_not_allowed' | 'unsupported_media_type' | 'body_too_large' | 'request_timeout' | 'idempotency_in_flight' | 'idempotency_mismatch' | 'invalid_order' | 'pet_not_found' | 'pet_not_available' | 'order_not_pending' | 'order_not_completed' | 'pet_held' | 'pet_has_orders' | 'precondition_failed' | 'invalid_names' | 'names_in_file' | 'precondition_required' | 'rate_limited' | 'operation_removed' | 'cursor_expired' | 'internal' | 'unavailable' | 'storage_full'

/** The most that a page of a list holds. */
export const PAGE_MAX = 100
/** Code points of a name, a reference or a search. */
export const TEXT_LENGTH_MAX = 255
/** How far ahead a reservation may end. */
export const EXPIRY_DAYS_MAX = 366
/** How long a request may wait for an event. */
export const WAIT_MAX_S = 30

/** For code that does not load the contract. */
export const NEW_PET_SCHEMA = {"type":"object","required":["name","categoryId"],"properties":{"name":{"type":"string","minLength":1,"maxLength":255,"pattern":"^\\s*[^\\s\\x00][^\\x00]*$","x-pattern-description":"must contain a character that is not white space, and no U+0000"},"categoryId":{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},"status":{"type":"string","enum":["available","pending","sold"],"default":"available"}}}

export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  missing_api_key: 401,
  invalid_api_key: 401,
  read_only_key: 403,
  invalid_parameter: 400,
  malformed_json: 400,
  invalid_pet: 400,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  body_too_large: 413,
  request_timeout: 408,
  idempotency_in_flight: 409,
  idempotency_mismatch: 422,
  invalid_order: 400,
  pet_not_found: 404,
  pet_not_available: 409,
  order_not_pending: 409,
  order_not_completed: 409,
  pet_held: 409,
  pet_has_orders: 409,
  precondition_failed: 412,
  invalid_names: 400,
  names_in_file: 409,
  precondition_required: 428,
  rate_limited: 429,
  operation_removed: 410,
  cursor_expired: 410,
  internal: 500,
  unavailable: 503,
  storage_full: 503,
}

export interface Operations {
  listPets: {
    parameters: { limit: number; status?: PetStatus; categoryId?: bigint; search?: string; sort: Sort; count?: 'true'; cursor?: string }
    body: undefined
  }
  createPet: {
    parameters: { 'Idempotency-Key'?: string }
    body: { name: string; categoryId: bigint; status: PetStatus }
  }
  getPet: {
    parameters: { petId: bigint }
    body: undefined
  }
  updatePet: {
    parameters: { petId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: { name?: string; categoryId?: bigint; status?: PetStatus }
  }
  deletePet: {
    parameters: { petId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: undefined
  }
  listOrders: {
    parameters: { limit: number; status?: OrderStatus; petId?: bigint; petIds?: Array<bigint>; search?: string; sort: Sort; cursor?: string }
    body: undefined
  }
  placeOrder: {
    parameters: { 'Idempotency-Key'?: string }
    body: { petId: bigint; reference?: string; expiresAt?: number }
  }
  getOrder: {
    parameters: { orderId: bigint }
    body: undefined
  }
  cancelOrder: {
    parameters: { orderId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: undefined
  }
  updateOrder: {
    parameters: { orderId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: { reference?: string | null; expiresAt?: number | null }
  }
  completeOrder: {
    parameters: { orderId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: undefined
  }
  returnOrder: {
    parameters: { orderId: bigint; 'If-Match'?: string; 'If-None-Match'?: string }
    body: undefined
  }
  getInventory: {
    parameters: Record<never, never>
    body: undefined
  }
  listEvents: {
    parameters: { limit: number; petId?: bigint; orderId?: bigint; type?: Array<EventType>; from?: string; to?: string; sort: Sort; wait: number; cursor?: string }
    body: undefined
  }
}
