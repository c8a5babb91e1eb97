// The contract's types. Written by `npm run generate` from openapi.yaml; not edited by hand.
// int64 is bigint, and date-time is text. A field with a default is optional here, as it is for who sends it. In a body of
// Operations, as the validators give it, it is there, and date-time is a number of milliseconds since 1970.

/** Availability of a pet. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A pet to be added. */
export type NewPet = {
  /** The pet's name: 1 to 255 Unicode code points, at least one of them not white space, no U+0000.
   * Stored and returned unchanged: no trimming, no normalisation. */
  name: string
  /** Identifier of the category. The service does not check that the category exists. */
  categoryId: bigint
  /** Availability. */
  status?: PetStatus
}

/** A pet of the store. */
export type Pet = {
  /** Unique identifier assigned by the service on creation. Never reused. */
  id: bigint
} & NewPet

/** A page of pets. */
export type Pets = Array<Pet>

/** `pending`: the pet is reserved. `completed`: it is sold. `cancelled` and `expired`: the reservation has ended. `returned`: the
 * sold pet came back. */
export type OrderStatus = 'pending' | 'completed' | 'cancelled' | 'expired' | 'returned'

/** An order to be placed. */
export type NewOrder = {
  /** The pet that is ordered. */
  petId: bigint
  /** Free text of the client, such as a receipt, a till or a customer: 1 to 255 Unicode code points, at least one of them not
   * white space, no U+0000. Stored and returned as it is. */
  reference?: string
  /** The end of the reservation (RFC 3339, with an offset), in the future and at most 366 days ahead. Answered in UTC with
   * milliseconds. Without it the order is pending until it is completed or cancelled. */
  expiresAt?: string
}

/** An order of the store. */
export type Order = {
  /** Unique identifier assigned by the service. Never reused. */
  id: bigint
  /** The name of the pet. */
  petName: string
  status: OrderStatus
  /** When the order was placed, in UTC with milliseconds. */
  placedAt: string
  /** When its status last changed; `placedAt` until the first change. */
  changedAt: string
} & NewOrder

/** A page of orders. */
export type Orders = Array<Order>

/** How many pets have each status. */
export type Inventory = {
  available: bigint
  pending: bigint
  sold: bigint
}

/** What went wrong. */
export type Error = {
  code: ErrorCode
  /** For people. Names every problem of a body at once, each with its field. */
  message: string
  /** The HTTP status of the response. */
  status: number
}

/** Machine-readable error code. The service sends no other. */
export type ErrorCode = 'missing_api_key' | 'invalid_api_key' | 'read_only_key' | 'invalid_parameter' | 'malformed_json' | 'invalid_pet' | 'not_found' | 'method_not_allowed' | 'unsupported_media_type' | 'body_too_large' | 'request_timeout' | 'idempotency_in_flight' | 'idempotency_mismatch' | 'invalid_order' | 'pet_not_found' | 'pet_not_available' | 'order_not_pending' | 'order_not_completed' | 'precondition_failed' | 'rate_limited' | 'operation_removed' | 'internal' | 'unavailable' | 'storage_full'

export interface Operations {
  listPets: {
    parameters: { limit: number; status?: PetStatus; cursor?: string }
    body: undefined
    status: 200 | 304 | 400 | 401 | 429 | 500 | 503
  }
  createPet: {
    parameters: { 'Idempotency-Key'?: string }
    body: { name: string; categoryId: bigint; status: PetStatus }
    status: 201 | 400 | 401 | 403 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  }
  getPet: {
    parameters: { petId: bigint }
    body: undefined
    status: 200 | 304 | 401 | 404 | 410 | 429 | 500 | 503
  }
  listOrders: {
    parameters: { limit: number; status?: OrderStatus; petId?: bigint; cursor?: string }
    body: undefined
    status: 200 | 304 | 400 | 401 | 429 | 500 | 503
  }
  placeOrder: {
    parameters: { 'Idempotency-Key'?: string }
    body: { petId: bigint; reference?: string; expiresAt?: number }
    status: 201 | 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  }
  getOrder: {
    parameters: { orderId: bigint }
    body: undefined
    status: 200 | 304 | 401 | 404 | 429 | 500 | 503
  }
  cancelOrder: {
    parameters: { orderId: bigint; 'If-Match'?: string }
    body: undefined
    status: 204 | 401 | 403 | 404 | 409 | 412 | 429 | 500 | 503
  }
  completeOrder: {
    parameters: { orderId: bigint }
    body: undefined
    status: 200 | 401 | 403 | 404 | 409 | 429 | 500 | 503
  }
  returnOrder: {
    parameters: { orderId: bigint }
    body: undefined
    status: 200 | 401 | 403 | 404 | 409 | 429 | 500 | 503
  }
  getInventory: {
    parameters: Record<never, never>
    body: undefined
    status: 200 | 304 | 401 | 429 | 500 | 503
  }
}
