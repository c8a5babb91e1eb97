// Orders in SQLite. Each change is a write like a create: those that arrive together are committed together, in their order.

import type { OrderStore } from '../../domain/orders.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { ORDERS } from '../shared/lists.ts'
import { PLACE_ORDER } from '../shared/order-columns.ts'
import { inventoryReader } from './inventory.ts'
import type { OrderChanges } from './order-changes.ts'
import { pages } from './pages.ts'
import type { Read, Statements } from './statements.ts'
import type { Writes } from './writes.ts'

/** The thread that answers requests expires them: for 5 ms or less. */
const EXPIRED_AT_ONCE = 50

export function sqliteOrders(
  statements: Statements,
  orders: OrderChanges,
  read: Read,
  { write, writeOnce }: Writes,
  { now: clock }: Pick<StoreOptions, 'now'>,
): OrderStore {
  const readPage = pages(statements, ORDERS)
  const inventory = inventoryReader(statements)
  return {
    placeOrder: (order, by, idempotencyKey) =>
      writeOnce(PLACE_ORDER, order, by, idempotencyKey, (transaction) => orders.place(transaction, order, by)),
    getOrder: (id) => read(() => orders.read(id)),
    listOrders: (filter) => read(() => readPage(filter)),
    completeOrder: (id, by, check) =>
      write(by, (transaction) => orders.change(transaction, id, 'completed', by, check)),
    cancelOrder: (id, by, check) => write(by, (transaction) => orders.change(transaction, id, 'cancelled', by, check)),
    returnOrder: (id, by, check) => write(by, (transaction) => orders.change(transaction, id, 'returned', by, check)),
    updateOrder: (id, change, by, check) =>
      write(by, (transaction) => orders.update(transaction, id, change, by, check)),
    getInventory: () => read(inventory),
    async expireOrders(limit = EXPIRED_AT_ONCE) {
      // A write transaction is begun only where there is something to do.
      const due = await read(() => orders.isDue(clock()))
      return due ? write(null, (transaction) => orders.expire(transaction, limit)) : []
    },
  }
}
