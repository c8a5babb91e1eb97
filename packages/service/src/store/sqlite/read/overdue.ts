// Overdue reservations in SQLite.

import type { Read, Statements } from '../connect/statements.ts'

/**
 * Reservations that are overdue at `?`. The index is named because SQLite, without statistics, would read every
 * pending order. Reservations whose pet was changed by hand are skipped, so that the others expire.
 */
export const OVERDUE = `orders INDEXED BY orders_by_expiry
  WHERE status = 'pending' AND expires_at <= ? AND (SELECT status FROM pets WHERE pets.id = pet_id) = 'pending'`

export function overdueFinder(statements: Statements, read: Read, now: () => number): () => Promise<boolean> {
  const overdue = statements.query<object>(`SELECT 1 FROM ${OVERDUE} LIMIT 1`)
  return () => read(() => overdue.get(now()) !== null)
}
