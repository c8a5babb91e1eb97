// Repairs a store whose database was reset to an earlier state, for `petstore recovered` and `petstore restore`.
// Clients can still know ids, feed cursors and revocations from after that state, so ids are skipped and old cursors
// are rejected.

import type { ApiKey, KeyId } from '../../domain/keys.ts'

export interface Recovery {
  /** The number of ids to skip in each table. */
  skipIds: bigint
  /** Receives all keys and the rest of the contents, and returns the keys to revoke. If it rejects, nothing is changed. */
  revoke(keys: readonly ApiKey[], found: FoundContents): Promise<readonly KeyId[]>
}

export interface FoundContents {
  readonly pets: bigint
  readonly orders: bigint
  /** `at` is in milliseconds since 1970. */
  readonly last: { readonly id: bigint; readonly at: bigint } | undefined
}

/** Selects a row with the numbers of pets and orders and, unless it is NULL, the last event. */
export const FIND_CONTENTS = `SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM orders) AS orders, id, at
  FROM (SELECT 1) AS one LEFT JOIN (SELECT id, at FROM events ORDER BY id DESC LIMIT 1) AS last ON true`

export function toContents(row: object): FoundContents {
  const { pets, orders, id, at } = row as { pets: bigint; orders: bigint; id: bigint | null; at: bigint }
  return { pets, orders, last: id === null ? undefined : { id, at } }
}

const ID_MAX = 2n ** 63n - 1n

/** Returns the last skipped id. Throws `refuse(reason)` if fewer ids are left. */
export function lastSkipped(table: string, lastId: bigint, skipIds: bigint, refuse: (reason: string) => Error): bigint {
  const left = ID_MAX - lastId
  if (skipIds <= left) return lastId + skipIds
  throw refuse(`only ${left} ids of ${table} are left: skip fewer with --skip-ids`)
}
