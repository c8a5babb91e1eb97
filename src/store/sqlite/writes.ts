// Writes that clients wait for: those that arrive together are committed together, in the order of their arrival. Their idempotency
// keys belong to the same transaction: one writer at a time, so a key that was not there stays away until the commit.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Transition } from '../../domain/orders.ts'
import type { Created } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { batched } from '../shared/group-commit.ts'
import {
  answerText,
  type FirstAnswer,
  type IdempotentOperation,
  KEPT_MS,
  replay,
  requestText,
} from '../shared/idempotency.ts'
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
 */
export type Write = <Result>(work: (turn: Turn) => Result | PetstoreError) => Promise<Result>

export function writes(statements: Statements, transact: Transact, options: StoreOptions): Write {
  const idempotencyKeys = sqliteIdempotencyKeys(statements)
  const countTo = statements.query<never, [bigint]>(COUNT_TO)

  const write = batched(async (works: ((turn: Turn) => unknown)[]) => {
    const { outcomes, transitions } = await transact(() => {
      // Read when no other process can write any more: times follow the order of the commits.
      const turn: Turn = { now: options.now(), idempotencyKeys, transitions: [] }
      idempotencyKeys.forget(turn.now)
      const outcomes = works.map((work) => work(turn))
      if (turn.lastPetId !== undefined) countTo.run(turn.lastPetId)
      return { outcomes, transitions: turn.transitions }
    }, KEEPS_KEYS)
    if (transitions.length > 0) options.onTransitions?.(transitions)
    return outcomes
  }, options.onBatch)

  return <Result>(work: Parameters<Write>[0]) => write(work) as Promise<Result>
}

const KEEPS_KEYS = { keepsKeys: true }

/** How many keys each batch of writes forgets at most: more than it can add, so that none is left in the end. */
const FORGET_MAX = 512

export interface IdempotencyKeys {
  /**
   * What the first request under the key was given; else what `perform` gives, which is kept with the key unless it is a
   * refusal. Without a key, what `perform` gives.
   */
  once<Request extends object, Answer extends object>(
    operation: IdempotentOperation<Request, Answer>,
    request: Request,
    by: KeyId,
    key: string | undefined,
    now: number,
    perform: () => Answer | PetstoreError,
  ): Created<Answer> | PetstoreError

  /** Forgets some of the keys whose time is over. Costs next to nothing when there are none. */
  forget(now: number): void
}

function sqliteIdempotencyKeys(statements: Statements): IdempotencyKeys {
  const find = statements.query<FirstAnswer, [KeyId, string, number]>(
    'SELECT operation, request, answer FROM idempotency_answers WHERE key_id = ? AND key = ? AND created_at > ?',
  )
  const keep = statements.query<never, [KeyId, string, string, string, string, number]>(
    `INSERT OR REPLACE INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const forget = statements.query<never, [number, number]>(
    `DELETE FROM idempotency_answers WHERE rowid IN
     (SELECT rowid FROM idempotency_answers WHERE created_at <= ? ORDER BY created_at LIMIT +?)`,
  )

  return {
    once(operation, request, by, key, now, perform) {
      const text = key === undefined ? '' : requestText(operation, request)
      const first = key === undefined ? undefined : find.get(by, key, now - KEPT_MS)
      if (first) return replay(operation, first, text)
      const value = perform()
      if (value instanceof PetstoreError) return value
      if (key !== undefined) keep.run(by, key, operation.name, text, answerText(operation, value), now)
      return { value, replayed: false }
    },
    forget(now) {
      forget.run(now - KEPT_MS, FORGET_MAX)
    },
  }
}
