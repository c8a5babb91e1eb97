// Commits changes to SQLite: changes that arrive together are decided and committed together, in order of arrival.

import { type Commit, decide, overdueIn } from '../../../domain/decisions/decision.ts'
import type { FirstAnswer, Snapshot, StoredOrder } from '../../../domain/decisions/snapshot.ts'
import type { Decision } from '../../../domain/decisions/working-copy.ts'
import { type KeyId, keyState, type RefusedKey } from '../../../domain/keys.ts'
import { LIMITS } from '../../../domain/limits.ts'
import type { Pet } from '../../../domain/pets.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import { batched, observe } from '../../shared/group-commit.ts'
import {
  answerOfRow,
  CLOCK_ERROR_MS_MAX,
  EXPIRES,
  type FirstAnswerRow,
  fromRow,
  HOLDS,
  KEPT_MS,
  KEY_COLUMNS,
  PET_COLUMNS,
  STORED_ORDER_COLUMNS,
  selectList,
  toKey,
} from '../../shared/rows.ts'
import type { Read, Statements, Transact } from '../connect/statements.ts'
import { rowWriter } from './row-writer.ts'

export function commits(statements: Statements, transact: Transact, options: StoreOptions) {
  const forget = forgetting(statements, options.monotonic ?? (() => monotonicMs()), options.limits?.idempotencyMs)
  const snapshotOf = snapshots(statements)
  const write = rowWriter(statements)

  async function commitAll(decisions: Decision<unknown>[]) {
    const { outcomes, transitions } = await transact(() => {
      // Read while no other process can write, so times follow the commit order.
      const now = options.now()
      forget(now)
      const decided = decide(snapshotOf(now, overdueIn(decisions)), decisions)
      write(decided.writes, now)
      return decided
    }, KEEPS_KEYS)
    if (transitions.length > 0) observe(() => options.onTransitions?.(transitions))
    return [...outcomes]
  }

  const add = batched(commitAll, options.onBatch, options.limits?.batchMax)

  return { commit: add as Commit, drained: add.drained }
}

const KEEPS_KEYS = { keepsKeys: true }

// Deletes idempotency keys in SQLite when they expire.
//
// Wall clocks can be days off, so they never expire a key on their own. A process deletes the keys that it has seen
// for `keptMs` by its monotonic clock. Because a process may restart every night, it also starts with the keys that it
// finds, in insertion order, up to the first that is less than `keptMs` and the largest error of a clock older than
// both the wall clock and the newest key.

/** Keys deleted with each batch of writes: more than it can add, so the backlog shrinks. */
const FORGET_MAX = 2 * LIMITS.batchMax

/** Returns a function to call in each transaction before its writes. It deletes some expired keys. */
function forgetting(statements: Statements, monotonic: () => number, keptMs = KEPT_MS): (now: number) => void {
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

  /** Determines which keys can be deleted, and how. */
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

// Reads what decisions (domain/decisions/) need from SQLite, on demand: nothing else can write during the transaction.

const ORDER = `SELECT ${selectList(STORED_ORDER_COLUMNS)} FROM orders`

/** Returns a function of the transaction's time and the number of overdue reservations to read. */
function snapshots(statements: Statements): (now: number, overdue: number) => Snapshot {
  const byId = statements.query<object>(`${ORDER} WHERE id = ?`)
  const petById = statements.query<object>(`SELECT ${selectList(PET_COLUMNS)} FROM pets WHERE id = ?`)
  const holder = statements.query<object>(`${ORDER} WHERE pet_id = ? AND ${HOLDS}`)
  const ordered = statements.query<object>('SELECT 1 FROM orders WHERE pet_id = ? LIMIT 1')
  const answer = statements.query<FirstAnswerRow>(
    'SELECT operation, request, answer FROM idempotency_answers WHERE key_id = ? AND key = ?',
  )
  const overdue = statements.query<object>(
    `SELECT ${selectList(STORED_ORDER_COLUMNS)} FROM ${OVERDUE} ORDER BY expires_at LIMIT +?`,
  )
  const keyById = statements.query<object>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id = ?`)
  const last = statements.query<{ seq: bigint }>('SELECT seq FROM sqlite_sequence WHERE name = ?')

  const pet = (row: object | null): Pet | undefined => (row ? fromRow(PET_COLUMNS, row) : undefined)
  const order = (row: object | null): StoredOrder | undefined => (row ? fromRow(STORED_ORDER_COLUMNS, row) : undefined)
  const answered = (row: FirstAnswerRow | null): FirstAnswer | undefined => (row ? answerOfRow(row) : undefined)

  /**
   * Checks the key again, because it may have been revoked or have expired while the transaction waited for other
   * processes.
   */
  function keyChecker(now: number): (by: KeyId) => RefusedKey | undefined {
    const known = new Map<KeyId, RefusedKey | undefined>()
    function refusalOf(by: KeyId): RefusedKey | undefined {
      const row = keyById.get(by)
      const state = row ? keyState(toKey(row), now) : 'unknown'
      return state === 'active' ? undefined : state
    }
    return (by) => known.getOrInsertComputed(by, refusalOf)
  }

  return (now, limit) => ({
    now,
    refusedKey: keyChecker(now),
    pet: (id) => pet(petById.get(id)),
    order: (id) => order(byId.get(id)),
    holder: (petId) => order(holder.get(petId)),
    wasOrdered: (petId) => ordered.get(petId) !== null,
    firstAnswer: ({ by, key }) => answered(answer.get(by, key)),
    overdue: () => overdue.all(now, limit).map((row) => fromRow(STORED_ORDER_COLUMNS, row)),
    lastPetId: () => last.get('pets')?.seq ?? 0n,
    lastOrderId: () => last.get('orders')?.seq ?? 0n,
  })
}

/**
 * Reservations that are overdue at `?`. The index is named because SQLite, without statistics, would read every
 * pending order.
 */
const OVERDUE = `orders INDEXED BY orders_by_expiry WHERE ${EXPIRES} AND expires_at <= ?`

export function overdueFinder(statements: Statements, read: Read, now: () => number): () => Promise<boolean> {
  const overdue = statements.query<object>(`SELECT 1 FROM ${OVERDUE} LIMIT 1`)
  return () => read(() => overdue.get(now()) !== null)
}
