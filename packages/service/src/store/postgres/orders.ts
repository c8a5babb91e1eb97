// What is read of orders in PostgreSQL beside their pages.

import type { Inventory } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import type { RunQuery } from './session.ts'

/** The one that is over first: an index gives it. */
const OVERDUE = `SELECT at FROM (
  SELECT expires_at AS at FROM orders WHERE status = 'pending' AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1
) AS first WHERE at <= petstore_now()`

/** In the contract's order, so that the entity tag of equal counts is the same. */
export async function readInventory(read: RunQuery): Promise<Inventory> {
  const rows = await read<{ status: PetStatus; pets: bigint }>('SELECT status, pets FROM inventory ORDER BY status')
  return Object.fromEntries(rows.map(({ status, pets }) => [status, pets])) as Inventory
}

export async function isAnyOverdue(read: RunQuery): Promise<boolean> {
  return (await read(OVERDUE)).length > 0
}
