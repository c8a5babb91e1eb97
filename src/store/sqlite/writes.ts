// Writes that clients wait for: those that arrive together are committed together, in the order of their arrival.

import { PetstoreError } from '../../domain/errors.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { batched } from '../shared/group-commit.ts'
import { type IdempotencyKeys, sqliteIdempotencyKeys } from './idempotency.ts'
import type { Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

/**
 * Runs `work` in a transaction at the time `now`, and resolves when it is on disk. An error that `work` returns is a refusal:
 * what `work` changed is committed nevertheless, and then the promise rejects with it. When `work` throws, nothing of it stays.
 */
export type Write = <Result>(
  work: (now: number, idempotencyKeys: IdempotencyKeys) => Result | PetstoreError,
) => Promise<Result>

export function writes(statements: Statements, transact: Transact, { now, onBatch }: StoreOptions): Write {
  const idempotencyKeys = sqliteIdempotencyKeys(statements)

  const write = batched(
    (works: ((now: number, idempotencyKeys: IdempotencyKeys) => unknown)[]) =>
      transact(() => {
        // Read when no other process can write any more: times follow the order of the commits.
        const at = now()
        idempotencyKeys.forget(at)
        return works.map((work) => work(at, idempotencyKeys))
      }),
    onBatch,
  )

  return async <Result>(work: Parameters<Write>[0]) => {
    const outcome = await write(work)
    if (outcome instanceof PetstoreError) throw outcome
    return outcome as Result
  }
}
