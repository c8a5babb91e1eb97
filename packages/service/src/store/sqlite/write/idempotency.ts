// The forgetting of idempotency keys in SQLite. A key counts for as long as it is kept.
//
// No wall clock alone decides that a key is over, because it may be days wrong. A process forgets what it has seen for as long as
// keys are kept, by its monotonic clock. Since it may be restarted every night, it also begins with what it finds: in the order in which the keys were kept, up to
// the first that is not older by FORGOTTEN_AFTER_MS than both its clock and the newest key.

import { BATCH_MAX } from '../../shared/group-commit.ts'
import { FORGOTTEN_AFTER_MS, KEPT_MS } from '../../shared/idempotency.ts'
import type { Statements } from '../connect/statements.ts'

/** How many keys each batch of writes forgets at most: more than it can add, so that none is left in the end. */
const FORGET_MAX = 2 * BATCH_MAX

/** The rows that were there at a time of the monotonic clock: those before `last`, which stays so that its number is not given again. */
interface Look {
  readonly at: number
  readonly last: bigint
}

/** To be called in each transaction, before its writes: forgets some of the keys whose time is over. */
export function forgetting(statements: Statements, monotonic: () => number): (now: number) => void {
  const look = statements.query<[bigint | null, bigint | null], []>(
    'SELECT (SELECT max(rowid) FROM idempotency_answers), (SELECT max(created_at) FROM idempotency_answers)',
  )
  const forgetBefore = statements.query<never, [bigint, number]>(
    `DELETE FROM idempotency_answers WHERE rowid IN
     (SELECT rowid FROM idempotency_answers WHERE rowid < ? ORDER BY rowid LIMIT +?)`,
  )
  const dates = statements.query<[bigint, bigint], [bigint, bigint, number]>(
    'SELECT rowid, created_at FROM idempotency_answers WHERE rowid > ? AND rowid < ? ORDER BY rowid LIMIT +?',
  )
  const forgetDated = statements.query<never, [bigint, bigint, number]>(
    'DELETE FROM idempotency_answers WHERE rowid > ? AND rowid <= ? AND created_at <= ?',
  )
  let latest: Look | undefined
  /** Gives whether there may be more to forget. */
  let forgetSome = () => false

  /** What can be forgotten from now on, and how. */
  function lookAgain(now: number): () => boolean {
    const before = latest
    const [[last, newest] = [null, null]] = look.values()
    latest = { at: monotonic(), last: last ?? 0n }
    if (before) return () => forgetBefore.run(before.last, FORGET_MAX).changes > 0
    return fromTheOldest(latest.last, now, Math.min(now, Number(newest)) - FORGOTTEN_AFTER_MS)
  }

  /** Passes over those that are dated after `now`: they would keep all that follow. */
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
    if (latest === undefined || monotonic() - latest.at >= KEPT_MS) forgetSome = lookAgain(now)
    if (!forgetSome()) forgetSome = () => false
  }
}
