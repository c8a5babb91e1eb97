// Commits changes to PostgreSQL: changes that arrive together are decided and committed together, in order of arrival,
// in one transaction under the lock that orders commits. The database's clock applies.

import { type Commit, decide, touchedBy } from '../../../domain/decisions/decision.ts'
import type { Touches } from '../../../domain/decisions/snapshot.ts'
import type { Decision } from '../../../domain/decisions/working-copy.ts'
import type { KeyId } from '../../../domain/keys.ts'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import { batched, observe } from '../../shared/group-commit.ts'
import { FORGOTTEN_AFTER_MS } from '../../shared/rows.ts'
import { isLocked, isLost, outcomeOf, translate } from '../connect/errors.ts'
import type { PrimaryConnection } from '../connect/primary.ts'
import { beginWith, type RunQuery, SETTINGS } from '../connect/session.ts'
import { TAKE_WRITE_LOCK } from '../schema/schema.ts'
import type { SeenIds } from '../seen-ids.ts'
import { writeRows } from './row-writer.ts'
import { readSnapshot } from './snapshot.ts'

/** How long a statement waits for another lock while it holds the lock that orders commits. */
export const LOCK_WAIT_MS = 200
/** The same for LOCKED_MS after a statement has waited too long, because it will probably wait for the same lock. */
const LOCK_WAIT_AGAIN_MS = 20
const LOCKED_MS = 1_000

/**
 * Takes the lock in a statement before the one that reads, which therefore sees everything that earlier holders
 * committed. The settings end with the transaction, also behind a pooler.
 *
 * Plans are made once per connection, possibly while the tables are empty, because planning for each batch would take
 * a third of the time. The settings keep such a plan from reading whole tables, sorting all overdue orders, or
 * comparing each row of a batch with every other row. Before PostgreSQL 18, a plan against enable_nestloop looks so
 * expensive that it would be compiled, for seconds: hence jit.
 */
const [BEGIN, BEGIN_AGAIN] = [LOCK_WAIT_MS, LOCK_WAIT_AGAIN_MS].map((lockWaitMs) =>
  beginWith(
    {
      ...SETTINGS,
      plan_cache_mode: 'force_generic_plan',
      ...Object.fromEntries(
        ['jit', 'enable_seqscan', 'enable_nestloop', 'enable_bitmapscan', 'enable_sort'].map((name) => [name, 'off']),
      ),
      lock_timeout: 0,
    },
    // In this order: the limit does not apply to the wait for the lock that orders commits.
    [TAKE_WRITE_LOCK, `set_config('lock_timeout', '${lockWaitMs}', true)`],
  ),
) as [string, string]

export function postgresCommits(
  connection: PrimaryConnection,
  firstOverdue: () => bigint,
  seen: SeenIds,
  { onBatch, onTransitions, limits }: Pick<StoreOptions, 'onBatch' | 'onTransitions' | 'limits'>,
) {
  const forget = forgetting(connection.background)
  let lockedAt = Number.NEGATIVE_INFINITY

  async function commitAll(decisions: Decision<unknown>[], join: () => Decision<unknown>[]) {
    let count = decisions.length
    const { outcomes, transitions } = await connection.transaction(
      async (session) => {
        const touched = touchedBy(decisions)
        const first = await readSnapshot(session.query, touched, firstOverdue())
        const joined = join()
        count += joined.length
        const all = [...decisions, ...joined]
        // Joining saves a commit, which is worth a second read for rows that the first snapshot lacks.
        const hasAll = joined.every(({ by, touches }) => looksOnlyAtCaller(touches) && touched.callers.has(by as KeyId))
        const snapshot = hasAll ? first : await readSnapshot(session.query, touchedBy(all), firstOverdue())
        const decided = decide(snapshot, all)
        seen.seeWrites(decided.writes)
        await writeRows(session, decided.writes, snapshot)
        return decided
      },
      {
        begin: monotonicMs() - lockedAt < LOCKED_MS ? BEGIN_AGAIN : BEGIN,
        failure: (error) => {
          if (isLocked(error)) lockedAt = monotonicMs()
          // Each change is then committed on its own, so that only changes to locked rows fail.
          return isLocked(error) && count > 1 ? error : translateChanging(error)
        },
      },
    )
    forget()
    if (transitions.length > 0) observe(() => onTransitions?.(transitions))
    return [...outcomes]
  }

  const add = batched(commitAll, onBatch, limits?.batchMax)

  return { commit: add as Commit, drained: add.drained }
}

export const MAY_BE_CHANGED =
  'The database connection was lost during the change, which may have been saved. Check, or repeat the request; use the same Idempotency-Key to create a pet or an order.'

/** Like `translate`, but with MAY_BE_CHANGED if a change may have been made. */
export function translateChanging(error: unknown): unknown {
  return isLost(error) && outcomeOf(error) !== 'moved'
    ? new PetstoreError('unavailable', MAY_BE_CHANGED, { cause: error })
    : translate(error)
}

/**
 * Whether the decision looks at no row besides its caller, like a new pet without an idempotency key. Its request was
 * authenticated on arrival, so it does not matter that the snapshot is older.
 */
function looksOnlyAtCaller(touches: Touches): boolean {
  return Object.values(touches).every((touched) => touched === undefined)
}

/** SKIP LOCKED keeps servers from waiting for each other, or for a request that uses such a key again. */
const FORGET = `
  WITH forgotten AS (
    DELETE FROM idempotency_answers WHERE (key_id, key) IN (
      SELECT key_id, key FROM idempotency_answers WHERE created_at <= (SELECT petstore_now()) - ${FORGOTTEN_AFTER_MS}
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ) RETURNING 1
  )
  SELECT count(*) AS count FROM forgotten`
const FORGET_MAX = 5_000
const EVERY_MS = 60_000

/** Returns a function to call after each batch. Once a minute it deletes expired keys in the background. */
function forgetting(query: RunQuery): () => void {
  let nextAt = 0

  async function forget(): Promise<void> {
    const [forgotten] = await query<{ count: bigint }>(FORGET, FORGET_MAX)
    if (forgotten?.count === BigInt(FORGET_MAX)) nextAt = 0
  }

  return () => {
    if (monotonicMs() < nextAt) return
    nextAt = monotonicMs() + EVERY_MS
    // Retries after a minute if this fails.
    forget().catch(() => {})
  }
}
