// Reservations that are overdue, in SQLite.

import type { Read, Statements } from '../connect/statements.ts'

/** What is overdue at a time. An index is named: without statistics SQLite would read every pending order instead. Where somebody has changed the
 *  pet by hand, nothing is done, so that all others expire. */
export const OVERDUE = `orders INDEXED BY orders_by_expiry
  WHERE status = 'pending' AND expires_at <= ? AND (SELECT status FROM pets WHERE pets.id = pet_id) = 'pending'`

export function overdueFinder(statements: Statements, read: Read, now: () => number): () => Promise<boolean> {
  const overdue = statements.query<object, [number]>(`SELECT 1 FROM ${OVERDUE} LIMIT 1`)
  return () => read(() => overdue.get(now()) !== null)
}
