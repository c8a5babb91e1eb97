// Orders in PostgreSQL, as they are read.

import type { Inventory, OrderStore } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import { ORDERS } from '../shared/lists.ts'
import { ORDER_COLUMNS } from '../shared/order-columns.ts'
import { pages, rowsById } from './pages.ts'
import type { RunQuery } from './session.ts'

const INVENTORY = 'SELECT status, pets FROM inventory'
/** The one that is over first: an index gives it. */
const OVERDUE = `SELECT at FROM (
  SELECT expires_at AS at FROM orders WHERE status = 'pending' AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1
) AS first WHERE at <= petstore_now()`

export function postgresOrders(read: RunQuery): Pick<OrderStore, 'getOrder' | 'listOrders' | 'getInventory'> {
  async function readInventory(): Promise<Inventory> {
    const rows = await read<{ status: PetStatus; pets: bigint }>(INVENTORY)
    return Object.fromEntries(rows.map(({ status, pets }) => [status, pets])) as Inventory
  }

  return {
    getOrder: rowsById(read, ORDERS, ORDER_COLUMNS),
    listOrders: pages(read, ORDERS),
    getInventory: readInventory,
  }
}

export async function isAnyOverdue(read: RunQuery): Promise<boolean> {
  return (await read(OVERDUE)).length > 0
}
