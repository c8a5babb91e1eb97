// The contract's types. Written by `npm run generate` from openapi.yaml; not edited by hand.
// int64 is bigint. A field with a default is optional here, as it is for who sends it.

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

/** What went wrong. */
export type Error = {
  code: ErrorCode
  /** For people. Names every problem of a body at once, each with its field. */
  message: string
  /** The HTTP status of the response. */
  status: number
}

/** Machine-readable error code. The service sends no other. */
export type ErrorCode = 'missing_api_key' | 'invalid_api_key' | 'read_only_key' | 'invalid_parameter' | 'malformed_json' | 'invalid_pet' | 'not_found' | 'method_not_allowed' | 'unsupported_media_type' | 'body_too_large' | 'request_timeout' | 'idempotency_in_flight' | 'idempotency_mismatch' | 'rate_limited' | 'operation_removed' | 'internal' | 'unavailable' | 'storage_full'

export interface Operations {
  listPets: {
    parameters: { limit: number; status?: PetStatus; cursor?: string }
    body: undefined
    status: 200 | 304 | 400 | 401 | 429 | 500 | 503
  }
  createPet: {
    parameters: { 'Idempotency-Key'?: string }
    body: NewPet
    status: 201 | 400 | 401 | 403 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  }
  getPet: {
    parameters: { petId: bigint }
    body: undefined
    status: 200 | 304 | 401 | 404 | 410 | 429 | 500 | 503
  }
}
