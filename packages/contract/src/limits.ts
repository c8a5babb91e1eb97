// Figures of the contract that no schema can say. packages/contract/test/openapi.test.ts compares the sentences that repeat them.

export const BODY_BYTES_MAX = 64 * 1024
/** Of objects and arrays within each other. */
export const NESTING_MAX = 32
/** As they are written. */
export const SEARCH_WORDS_MAX = 8
/** An Idempotency-Key is kept for at least so long. */
export const IDEMPOTENCY_HOURS_MIN = 24
