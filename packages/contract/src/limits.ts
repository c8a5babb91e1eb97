// Limits of the contract that a schema cannot express. packages/contract/test/openapi.test.ts compares them with its
// prose.

export const BODY_BYTES_MAX = 64 * 1024
/** The nesting of objects and arrays. */
export const NESTING_MAX = 32
/** Words separated by spaces. */
export const SEARCH_WORDS_MAX = 8
/** An Idempotency-Key is kept for at least this long. */
export const IDEMPOTENCY_HOURS_MIN = 24
