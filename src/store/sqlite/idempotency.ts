// Idempotency keys in SQLite. Every function belongs inside the transaction that adds animals: one writer at a time, so
// what was not there stays away until the commit.

import type { KeyId } from '../../keys.ts'
import type { Pet } from '../../pets.ts'
import { KEPT_MS } from '../idempotency.ts'
import type { Statements } from './statements.ts'

/** More than one batch can add, so that what is over never piles up. */
const SWEPT_MAX = 512

export interface IdempotencyKeys {
  /** The animal that was added under this key within the time that keys are kept. */
  find(by: KeyId, key: string, now: number): Pet | undefined
  keep(by: KeyId, key: string, petId: bigint, now: number): void
  /** Forgets some of the keys whose time is over. Costs nothing while there are none. */
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
  const sweep = statements.query<never, [number, number]>(
    `DELETE FROM idempotency_keys WHERE created_at <= ? AND pet_id IN
       (SELECT pet_id FROM idempotency_keys ORDER BY pet_id LIMIT ?)`,
  )
  const oldest = statements.query<{ createdAt: bigint }, []>(
    'SELECT created_at AS createdAt FROM idempotency_keys ORDER BY pet_id LIMIT 1',
  )
  let nextSweepAt = 0

  return {
    find: (by, key, now) => find.get(by, key, now - KEPT_MS) ?? undefined,
    keep: (by, key, petId, now) => {
      keep.run(by, key, petId, now)
    },
    sweep: (now) => {
      if (now < nextSweepAt) return
      sweep.run(now - KEPT_MS, SWEPT_MAX)
      nextSweepAt = Number(oldest.get()?.createdAt ?? now) + KEPT_MS
    },
  }
}
