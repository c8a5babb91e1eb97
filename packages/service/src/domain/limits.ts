// The limits that protect a server. Simulated runs choose small ones, because a place that is never given back then
// shows after a few hundred requests.

import { IDEMPOTENCY_HOURS_MIN } from '../../../contract/src/limits.ts'

/** The number of requests, and the time in which a key gets them again. */
export interface Rate {
  requests: number
  periodSeconds: number
}

export const LIMITS = {
  /** The requests of a process that can wait for the store. The service rejects more with 503. */
  requestsMax: 4096,
  /** The readers of a process that can wait for events (`PETSTORE_MAX_WAITING`). The service rejects more with 503. */
  readersMax: Number.POSITIVE_INFINITY,
  /** For each API key and process (`PETSTORE_RATE_LIMIT`). The service rejects more with 429. */
  rate: undefined as Rate | undefined,
  /** The API keys that a process remembers. If there are more, it forgets all of them. */
  cachedKeysMax: 10_000,
  /** The size of the cached lists, in characters of their addresses and bodies. */
  cachedCharactersMax: 8 * 1024 * 1024,
  /** How long an Idempotency-Key is kept at least, by a clock that cannot be set. The contract promises 24 hours. */
  idempotencyMs: IDEMPOTENCY_HOURS_MIN * 3600_000,
  /** The changes in one commit. */
  batchMax: 256,
  /** The pause between two searches for overdue reservations. placeOrder promises that they end within a second. */
  expiryEveryMs: 500,
}

export type Limits = Readonly<typeof LIMITS>
