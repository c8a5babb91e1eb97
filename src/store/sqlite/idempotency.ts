// Idempotency keys in SQLite. Every function belongs inside the transaction that adds animals: one writer at a time, so
// what was not there stays away until the commit.

import type { KeyId } from '../../domain/keys.ts'
import type { Pet } from '../../domain/pets.ts'
import { KEPT_MS } from '../shared/idempotency.ts'
import type { Statements } from './statements.ts'

/** A pass over all keys begins this often. It trusts no order of time: a clock that was wrong may have dated any of them. */
const PASS_EVERY_MS = 3600_000
/** How many keys of a pass each batch looks at: more than it can add, so that a pass comes to its end. */
const WINDOW_MAX = 512

export interface IdempotencyKeys {
  /** The animal that was added under this key within the time that keys are kept. */
  find(by: KeyId, key: string, now: number): Pet | undefined
  keep(by: KeyId, key: string, petId: bigint, now: number): void
  /** Forgets some of the keys whose time is over; each is forgotten within an hour or so. Costs nothing between passes. */
  sweep(now: number): void
}

export function sqliteIdempotencyKeys(statements: Statements): IdempotencyKeys {
  const find = statements.query<Pet, [KeyId, string, number]>(
    `SELECT id, name, category_id AS categoryId, status FROM pets
     WHERE id = (SELECT pet_id FROM idempotency_keys WHERE key_id = ? AND key = ? AND created_at > ?)`,
  )
  const keep = statements.query<never, [KeyId, string, bigint, number]>(
    'INSERT OR REPLACE INTO idempotency_keys (key_id, key, pet_id, created_at) VALUES (?, ?, ?, ?)',
  )
  const window = statements.query<{ last: bigint | null; length: bigint }, [bigint, number]>(
    `SELECT max(pet_id) AS last, count(*) AS length
     FROM (SELECT pet_id FROM idempotency_keys WHERE pet_id > ? ORDER BY pet_id LIMIT ?)`,
  )
  const forget = statements.query<never, [bigint, bigint | null, number]>(
    'DELETE FROM idempotency_keys WHERE pet_id > ? AND pet_id <= ? AND created_at <= ?',
  )
  let begunAt = Number.NEGATIVE_INFINITY
  /** How far the pass has come; `undefined` between passes. */
  let after: bigint | undefined

  return {
    find: (by, key, now) => find.get(by, key, now - KEPT_MS) ?? undefined,
    keep: (by, key, petId, now) => {
      keep.run(by, key, petId, now)
    },
    sweep: (now) => {
      if (after === undefined) {
        // Also when the clock was set back by more.
        if (Math.abs(now - begunAt) < PASS_EVERY_MS) return
        begunAt = now
        after = 0n
      }
      const { last, length } = window.get(after, WINDOW_MAX) as { last: bigint | null; length: bigint }
      forget.run(after, last, now - KEPT_MS)
      after = length < WINDOW_MAX ? undefined : (last ?? undefined)
    },
  }
}
