// Writes that clients wait for: those that arrive together are committed together, in the order of their arrival. Their idempotency
// keys belong to the same transaction: one writer at a time, so a key that was not there stays away until the commit.

import type { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Transition } from '../../domain/orders.ts'
import type { StoreOptions, StoreVersion } from '../../domain/store.ts'
import { batched } from '../shared/group-commit.ts'
import { sqliteCallers } from './callers.ts'
import { type IdempotencyKeys, sqliteIdempotencyKeys } from './idempotency.ts'
import { COUNT_TO } from './inventory.ts'
import type { Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

/** A transaction, as each write in it finds it. */
export interface Turn {
  readonly now: number
  readonly idempotencyKeys: IdempotencyKeys
  /** What the transaction has done to orders. */
  readonly transitions: Transition[]
  /** The last pet that the transaction has added. */
  lastPetId?: bigint
}

/**
 * Runs `work` in a transaction, and resolves when it is on disk. An error that `work` returns is a refusal:
 * what `work` changed is committed nevertheless, and then the promise rejects with it. When `work` throws, nothing of it stays.
 * Rejects without running it when the key `by` may no longer write; the service itself has none.
 */
export type Write = <Result>(by: KeyId | null, work: Work<Result>) => Promise<Result>
type Work<Result> = (turn: Turn) => Result | PetstoreError

export function writes(
  statements: Statements,
  transact: Transact,
  version: () => StoreVersion,
  options: StoreOptions,
): Write {
  const callers = sqliteCallers(statements, version)
  const idempotencyKeys = sqliteIdempotencyKeys(statements, options.monotonic ?? (() => performance.now()))
  const countTo = statements.query<never, [bigint]>(COUNT_TO)

  const write = batched(async (works: { by: KeyId | null; work: Work<unknown> }[]) => {
    const { outcomes, transitions } = await transact(() => {
      // Read when no other process can write any more: times follow the order of the commits.
      const turn: Turn = { now: options.now(), idempotencyKeys, transitions: [] }
      idempotencyKeys.forget(turn.now)
      const refusalOf = callers(turn.now)
      const outcomes = works.map(({ by, work }) => (by !== null && refusalOf(by)) || work(turn))
      if (turn.lastPetId !== undefined) countTo.run(turn.lastPetId)
      return { outcomes, transitions: turn.transitions }
    }, KEEPS_KEYS)
    if (transitions.length > 0) options.onTransitions?.(transitions)
    return outcomes
  }, options.onBatch)

  return <Result>(by: KeyId | null, work: Work<Result>) => write({ by, work }) as Promise<Result>
}

const KEEPS_KEYS = { keepsKeys: true }
