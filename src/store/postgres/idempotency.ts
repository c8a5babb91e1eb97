// Idempotency keys in PostgreSQL whose time is over: each server passes over all of them now and then and forgets those.

import { KEPT_MS } from '../shared/idempotency.ts'
import type { Ask } from './connection.ts'

/** Forgets what is over of the next keys, and tells how many those were and which was the last. */
const FORGET = `
  WITH looked AS MATERIALIZED (SELECT pet_id FROM idempotency_keys WHERE pet_id > $2 ORDER BY pet_id LIMIT $3),
  forgotten AS (
    DELETE FROM idempotency_keys
    WHERE pet_id > $2 AND pet_id <= (SELECT max(pet_id) FROM looked) AND created_at <= $1
  )
  SELECT max(pet_id) AS last, count(*) AS length FROM looked`
const WINDOW_MAX = 5_000
/** A pass trusts no order of time: a clock that was wrong may have dated any of the keys. */
const PASS_EVERY_MS = 3600_000

/** To be called with the time after each batch. Between passes it does nothing, and nobody waits for it. */
export function forgetting(ask: Ask): (now: number) => void {
  let nextAt = 0
  /** How far the pass has come. */
  let after = 0n

  async function forget(now: number): Promise<void> {
    const [looked] = await ask<{ last: bigint | null; length: bigint }>(FORGET, now - KEPT_MS, after, WINDOW_MAX)
    const goesOn = looked?.length === BigInt(WINDOW_MAX)
    after = (goesOn && looked.last) || 0n
    if (goesOn) nextAt = 0
  }

  return (now) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + PASS_EVERY_MS
    // One that fails is made up for by the next pass.
    forget(now).catch(() => {})
  }
}
