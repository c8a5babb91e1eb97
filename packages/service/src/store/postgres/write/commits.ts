// Changes of pets and orders in PostgreSQL: those that arrive together are decided and committed together, in the order of their arrival, in one
// transaction under the lock that orders the commits. The database's clock decides.

import type { Commit } from '../../../domain/decisions/changing-methods.ts'
import { decide } from '../../../domain/decisions/decide.ts'
import { type Decision, touchedBy } from '../../../domain/decisions/decision.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import { batched, observe } from '../../shared/group-commit.ts'
import { FORGOTTEN_AFTER_MS } from '../../shared/idempotency.ts'
import { translateChanging } from '../connect/errors.ts'
import type { PrimaryConnection } from '../connect/primary.ts'
import { beginWith, type RunQuery, SETTINGS } from '../connect/session.ts'
import { writeRows } from './row-writer.ts'
import { readSnapshot } from './snapshot.ts'

/**
 * The lock is taken by a statement before the one that reads, which so sees all that was committed by those who had it before. Its settings end
 * with the transaction, also behind a pooler. The plans of the statements that read and write are made once for each connection, maybe while
 * the tables are empty: so they are kept from reading whole tables, from sorting all that is overdue, and from comparing each row of a batch
 * with each other one. To plan for each batch would take a third of the time. Before PostgreSQL 18 a plan that goes against
 * enable_nestloop counts as so dear that it would be compiled, for seconds: hence jit.
 */
const BEGIN = beginWith(
  {
    ...SETTINGS,
    plan_cache_mode: 'force_generic_plan',
    ...Object.fromEntries(
      ['jit', 'enable_seqscan', 'enable_nestloop', 'enable_bitmapscan', 'enable_sort'].map((name) => [name, 'off']),
    ),
  },
  ['pg_advisory_xact_lock(1346720851, 1)'],
)

export function postgresCommits(
  connection: PrimaryConnection,
  { onBatch, onTransitions }: Pick<StoreOptions, 'onBatch' | 'onTransitions'>,
): { readonly commit: Commit; drained(): Promise<void> } {
  const forget = forgetting(connection.background)

  const add = batched(async (decisions: Decision<unknown>[], join) => {
    const { outcomes, transitions } = await connection.transaction(
      async (session) => {
        const first = await readSnapshot(session.query, touchedBy(decisions))
        const joined = join()
        const all = [...decisions, ...joined]
        // A commit that is saved is worth reading again: `joined` may touch anything, and no earlier state may decide about it.
        const snapshot = joined.length > 0 ? await readSnapshot(session.query, touchedBy(all)) : first
        const decided = decide(snapshot, all)
        await writeRows(session, decided.writes, snapshot.now)
        return decided
      },
      { begin: BEGIN, failure: translateChanging },
    )
    forget()
    if (transitions.length > 0) observe(() => onTransitions?.(transitions))
    return [...outcomes]
  }, onBatch)

  return { commit: add as Commit, drained: add.drained }
}

/** Servers that forget at the same moment do not wait for each other, nor for a request that uses such a key again. */
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

/** To be called after each batch. Once a minute it forgets what is over, and nobody waits for it. */
export function forgetting(query: RunQuery): () => void {
  let nextAt = 0

  async function forget(): Promise<void> {
    const [forgotten] = await query<{ count: bigint }>(FORGET, FORGET_MAX)
    if (forgotten?.count === BigInt(FORGET_MAX)) nextAt = 0
  }

  return () => {
    if (monotonicMs() < nextAt) return
    nextAt = monotonicMs() + EVERY_MS
    // What fails is made up for a minute later.
    forget().catch(() => {})
  }
}
