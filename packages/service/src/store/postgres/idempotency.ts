// The forgetting of idempotency keys in PostgreSQL. A key counts for as long as it is kept, and no clock of a server decides about that.

import { FORGOTTEN_AFTER_MS } from '../shared/idempotency.ts'
import type { RunQuery } from './session.ts'

/** Servers that forget at the same moment do not wait for each other, nor for a request that uses such a key again. */
const FORGET = `
  WITH forgotten AS (
    DELETE FROM idempotency_answers WHERE (key_id, key) IN (
      SELECT key_id, key FROM idempotency_answers WHERE created_at <= (SELECT petstore_now()) - ${FORGOTTEN_AFTER_MS}
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ) RETURNING 1
  )
  SELECT count(*) AS count FROM forgotten`
const FORGET_MAX = 5_000
const EVERY_MS = 60_000

/** To be called after each batch. Once a minute it forgets what is over, and nobody waits for it. */
export function forgetting(query: RunQuery): () => void {
  let nextAt = 0

  async function forget(): Promise<void> {
    const [forgotten] = await query<{ count: bigint }>(FORGET, FORGET_MAX)
    if (forgotten?.count === BigInt(FORGET_MAX)) nextAt = 0
  }

  return () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + EVERY_MS
    // What fails is made up for a minute later.
    forget().catch(() => {})
  }
}
