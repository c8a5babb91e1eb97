// Orders in SQLite, as they are read.

import type { OrderStore } from '../../domain/orders.ts'
import { ORDERS } from '../shared/lists.ts'
import { ORDER_COLUMNS } from '../shared/order-columns.ts'
import { inventoryReader } from './inventory.ts'
import { pages, rowById } from './pages.ts'
import type { Read, Statements } from './statements.ts'

export function sqliteOrders(
  statements: Statements,
  read: Read,
): Pick<OrderStore, 'listOrders' | 'getOrder' | 'getInventory'> {
  const readPage = pages(statements, ORDERS)
  const find = rowById(statements, ORDERS, ORDER_COLUMNS)
  const inventory = inventoryReader(statements)
  return {
    listOrders: (filter) => read(() => readPage(filter)),
    getOrder: (id) => read(() => find(id)),
    getInventory: () => read(inventory),
  }
}

/** What is overdue at a time. An index is named: without statistics SQLite would read every pending order instead. Where somebody has changed the
 *  pet by hand, nothing is done, so that all others expire. */
export const OVERDUE = `orders INDEXED BY orders_by_expiry
  WHERE status = 'pending' AND expires_at <= ? AND (SELECT status FROM pets WHERE pets.id = pet_id) = 'pending'`

export function overdueFinder(statements: Statements, read: Read, now: () => number): () => Promise<boolean> {
  const overdue = statements.query<object, [number]>(`SELECT 1 FROM ${OVERDUE} LIMIT 1`)
  return () => read(() => overdue.get(now()) !== null)
}
