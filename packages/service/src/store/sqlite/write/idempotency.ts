// Deletes idempotency keys in SQLite when they expire.
//
// Wall clocks can be days off, so they never expire a key on their own. A process deletes the keys that it has seen
// for `keptMs` by its monotonic clock. Because a process may restart every night, it also starts with the keys that it
// finds, in insertion order, up to the first that is less than `keptMs` and the largest error of a clock older than
// both the wall clock and the newest key.

import { LIMITS } from '../../../domain/limits.ts'
import { CLOCK_ERROR_MS_MAX, KEPT_MS } from '../../shared/idempotency.ts'
import type { Statements } from '../connect/statements.ts'

/** Keys deleted with each batch of writes: more than it can add, so the backlog shrinks. */
const FORGET_MAX = 2 * LIMITS.batchMax

/** Returns a function to call in each transaction before its writes. It deletes some expired keys. */
export function forgetting(statements: Statements, monotonic: () => number, keptMs = KEPT_MS): (now: number) => void {
  const look = statements.query<[bigint | null, bigint | null]>(
    'SELECT (SELECT max(rowid) FROM idempotency_answers), (SELECT max(created_at) FROM idempotency_answers)',
  )
  const forgetBefore = statements.query(
    `DELETE FROM idempotency_answers WHERE rowid IN
     (SELECT rowid FROM idempotency_answers WHERE rowid < ? ORDER BY rowid LIMIT +?)`,
  )
  const dates = statements.query<[bigint, bigint]>(
    'SELECT rowid, created_at FROM idempotency_answers WHERE rowid > ? AND rowid < ? ORDER BY rowid LIMIT +?',
  )
  const forgetDated = statements.query(
    'DELETE FROM idempotency_answers WHERE rowid > ? AND rowid <= ? AND created_at <= ?',
  )
  /**
   * The rows before `last` existed at `at` by the monotonic clock. The row `last` is kept so that its rowid is not
   * reused.
   */
  let latest: { readonly at: number; readonly last: bigint } | undefined
  /** Returns whether there may be more to delete. */
  let forgetSome = () => false

  /** Determines which keys can be deleted from now on, and how. */
  function lookAgain(now: number): () => boolean {
    const before = latest
    const [[last, newest] = [null, null]] = look.values()
    latest = { at: monotonic(), last: last ?? 0n }
    if (before) return () => forgetBefore.run(before.last, FORGET_MAX).changes > 0
    return fromTheOldest(latest.last, now, Math.min(now, Number(newest)) - keptMs - CLOCK_ERROR_MS_MAX)
  }

  /** Skips keys dated after `now`, which would otherwise keep all keys that follow. */
  function fromTheOldest(last: bigint, now: number, until: number): () => boolean {
    let after = 0n
    return () => {
      const rows = dates.values(after, last, FORGET_MAX)
      const young = rows.findIndex(([, at]) => at > until && at <= now)
      const [end] = rows.at(young < 0 ? -1 : young) ?? [after]
      forgetDated.run(after, end, until)
      after = end
      return young < 0 && rows.length > 0
    }
  }

  return (now) => {
    if (latest === undefined || monotonic() - latest.at >= keptMs) forgetSome = lookAgain(now)
    if (!forgetSome()) forgetSome = () => false
  }
}
