// Reads what decisions (domain/decisions/) need from SQLite, on demand: nothing else can write during the transaction.

import type { FirstAnswer, Snapshot, StoredOrder } from '../../../domain/decisions/snapshot.ts'
import { type KeyId, keyState, type RefusedKey } from '../../../domain/keys.ts'
import type { Pet } from '../../../domain/pets.ts'
import { fromRow, selectList } from '../../shared/columns.ts'
import { answerOfRow, type FirstAnswerRow } from '../../shared/idempotency.ts'
import { KEY_COLUMNS, toKey } from '../../shared/key-rows.ts'
import { EXPIRES, HOLDS, PET_COLUMNS, STORED_ORDER_COLUMNS } from '../../shared/pet-and-order-columns.ts'
import type { Read, Statements } from '../connect/statements.ts'

const ORDER = `SELECT ${selectList(STORED_ORDER_COLUMNS)} FROM orders`

/** Returns a function of the transaction's time and the number of overdue reservations to read. */
export function snapshots(statements: Statements): (now: number, overdue: number) => Snapshot {
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
