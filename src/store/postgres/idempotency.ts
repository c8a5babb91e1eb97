// Idempotency keys in PostgreSQL whose time is over: each server forgets some of them now and then.

import { KEPT_MS } from '../idempotency.ts'
import type { Ask } from './connection.ts'

const FORGET = `DELETE FROM idempotency_keys WHERE created_at <= $1 AND pet_id IN
  (SELECT pet_id FROM idempotency_keys ORDER BY pet_id LIMIT $2) RETURNING 1`
const FORGOTTEN_MAX = 5_000
const EVERY_MS = 60_000

/** To be called with the time after each batch. At most once a minute it does something, and nobody waits for it. */
export function forgetting(ask: Ask): (now: number) => void {
  let nextAt = 0
  return (now) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + EVERY_MS
    ask(FORGET, now - KEPT_MS, FORGOTTEN_MAX).then(
      // A full hand: there may be more.
      ({ length }) => {
        if (length === FORGOTTEN_MAX) nextAt = 0
      },
      () => {},
    )
  }
}
