// Writes that clients wait for: those that arrive together are committed together, in the order of their arrival. Their idempotency
// keys belong to the same transaction: one writer at a time, so a key that was not there stays away until the commit.

import type { PetstoreError } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/events.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Transition } from '../../domain/orders.ts'
import type { Created } from '../../domain/pets.ts'
import type { StoreOptions, StoreVersion } from '../../domain/store.ts'
import { batched } from '../shared/group-commit.ts'
import type { IdempotentOperation } from '../shared/idempotency.ts'
import { sqliteCallers } from './callers.ts'
import type { EventWriter } from './events.ts'
import { sqliteIdempotencyKeys } from './idempotency.ts'
import { COUNT_TO } from './inventory.ts'
import type { Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

/** A transaction, as each write in it finds it. */
export interface WriteTransaction {
  readonly now: number
  /** What the transaction has done to orders. */
  readonly transitions: Transition[]
  /** The last pet that the transaction has added. */
  lastPetId?: bigint
  /** What it has done, in order. */
  readonly events: NewEvent[]
}

/** Gives a result, or a refusal. */
type Work<Result> = (transaction: WriteTransaction) => Result | PetstoreError

export interface Writes {
  /**
   * Runs `work` in a transaction, and resolves when it is on disk. An error that `work` returns is a refusal:
   * what `work` changed is committed nevertheless, and then the promise rejects with it. When `work` throws, nothing of it stays.
   * Rejects without running it when the key `by` may no longer write; the service itself has none.
   */
  write<Result>(by: KeyId | null, work: Work<Result>): Promise<Result>

  /** As `write`. Under an idempotency key that was used before, `work` does not run: the first result is given, or a refusal. */
  writeOnce<Request extends object, Answer extends object>(
    operation: IdempotentOperation<Request, Answer>,
    request: Request,
    by: KeyId,
    idempotencyKey: string | undefined,
    work: Work<Answer>,
  ): Promise<Created<Answer>>

  /** Resolves when every write so far has ended. */
  settled(): Promise<void>
}

export function writes(
  statements: Statements,
  transact: Transact,
  version: () => StoreVersion,
  events: EventWriter,
  options: StoreOptions,
): Writes {
  const callers = sqliteCallers(statements, version)
  const { once, forget } = sqliteIdempotencyKeys(statements, options.monotonic ?? (() => performance.now()))
  const countTo = statements.query<never, [bigint]>(COUNT_TO)

  const add = batched(async (works: { by: KeyId | null; work: Work<unknown> }[]) => {
    const { outcomes, transitions } = await transact(() => {
      // Read when no other process can write any more: times follow the order of the commits.
      const transaction: WriteTransaction = { now: options.now(), transitions: [], events: [] }
      forget(transaction.now)
      const refusalOf = callers(transaction.now)
      const outcomes = works.map(({ by, work }) => (by !== null && refusalOf(by)) || work(transaction))
      if (transaction.lastPetId !== undefined) countTo.run(transaction.lastPetId)
      events.write(transaction.events)
      return { outcomes, transitions: transaction.transitions }
    }, KEEPS_KEYS)
    if (transitions.length > 0) options.onTransitions?.(transitions)
    return outcomes
  }, options.onBatch)

  const write = <Result>(by: KeyId | null, work: Work<Result>) => add({ by, work }) as Promise<Result>
  return {
    write,
    writeOnce: (operation, request, by, key, work) =>
      write(by, (transaction) => once(operation, request, by, key, transaction.now, () => work(transaction))),
    settled: add.settled,
  }
}

const KEEPS_KEYS = { keepsKeys: true }
