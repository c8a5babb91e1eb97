// Overdue reservations in SQLite.

import { EXPIRES } from '../../shared/pet-and-order-columns.ts'
import type { Read, Statements } from '../connect/statements.ts'

/**
 * Reservations that are overdue at `?`. The index is named because SQLite, without statistics, would read every
 * pending order.
 */
export const OVERDUE = `orders INDEXED BY orders_by_expiry WHERE ${EXPIRES} AND expires_at <= ?`

export function overdueFinder(statements: Statements, read: Read, now: () => number): () => Promise<boolean> {
  const overdue = statements.query<object>(`SELECT 1 FROM ${OVERDUE} LIMIT 1`)
  return () => read(() => overdue.get(now()) !== null)
}
