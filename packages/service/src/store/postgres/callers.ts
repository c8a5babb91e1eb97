// The API keys of a batch of creates, which the database looks at once more when it is the batch's turn: it may have waited, and a key may
// have been revoked or have expired meanwhile. Where one has, nothing of the batch is done; it is committed again without that key's.

import type { PetstoreError } from '../../domain/errors.ts'
import { type KeyId, type RefusedKey, refusedKey } from '../../domain/keys.ts'

interface Write {
  readonly by: KeyId
}

/** A row of the answer: without a place it is a key that is refused, and why. */
interface Row {
  readonly place: bigint | null
  readonly id: bigint | null
  readonly refusal: string | null
}

/** As a parameter of the database's functions. */
export function callersOf(batch: readonly Write[]): string {
  return `{${[...new Set(batch.map(({ by }) => by))]}}`
}

/** `undefined` when the batch was committed. */
export function refusedKeys(rows: readonly Row[]): Map<KeyId | null, PetstoreError> | undefined {
  if (rows[0]?.place !== null) return undefined
  return new Map(rows.map(({ id, refusal }) => [id, refusedKey(refusal as RefusedKey)]))
}

/** Refuses the writes of these keys, and commits the others. */
export async function without<Item extends Write, Result>(
  refused: ReadonlyMap<KeyId | null, PetstoreError>,
  batch: readonly Item[],
  commit: (items: Item[]) => Promise<Result[]>,
): Promise<(Result | PetstoreError)[]> {
  const rest = batch.filter(({ by }) => !refused.has(by))
  const results = (rest.length > 0 ? await commit(rest) : []).values()
  return batch.map(({ by }) => refused.get(by) ?? (results.next().value as Result))
}
