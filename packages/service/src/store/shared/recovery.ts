// Repairs a store whose database was reset to an earlier state, for `petstore recovered` and `petstore restore`.
// Clients can still know ids, feed cursors and revocations from after that state, so ids are skipped and old cursors
// are refused.

import type { ApiKey, KeyId } from '../../domain/keys.ts'

export interface Recovery {
  /** The number of ids to skip in each table. */
  skipIds: bigint
  /** Receives all keys and returns the keys to revoke. If it rejects, nothing is changed. */
  revoke(keys: readonly ApiKey[]): Promise<readonly KeyId[]>
}

const ID_MAX = 2n ** 63n - 1n

/** Returns the last skipped id. Throws `refuse(reason)` if fewer ids are left. */
export function lastSkipped(table: string, lastId: bigint, skipIds: bigint, refuse: (reason: string) => Error): bigint {
  const left = ID_MAX - lastId
  if (skipIds <= left) return lastId + skipIds
  throw refuse(`only ${left} ids of ${table} are left: skip fewer with --skip-ids`)
}
