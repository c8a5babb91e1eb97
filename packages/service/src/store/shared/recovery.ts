// What `petstore recovered` and `petstore restore` do to a store whose database was set back to an earlier state. Others still know what has
// happened since: ids, places in the feed of events, keys that were revoked. None of these ids is given again, and these places are refused.

import type { ApiKey, KeyId } from '../../domain/keys.ts'

export interface Recovery {
  /** How many ids of each kind are left out. */
  skipIds: bigint
  /** Gets all keys, and gives those to revoke. When it rejects, nothing is changed. */
  revoke(keys: readonly ApiKey[]): Promise<readonly KeyId[]>
}

const ID_MAX = 2n ** 63n - 1n

/** The last id that is left out. Throws the error that `refuse` makes of the reason when there are not so many. */
export function lastSkipped(table: string, lastId: bigint, skipIds: bigint, refuse: (reason: string) => Error): bigint {
  const left = ID_MAX - lastId
  if (skipIds <= left) return lastId + skipIds
  throw refuse(`only ${left} ids of ${table} are left: leave out fewer, with --skip-ids`)
}
