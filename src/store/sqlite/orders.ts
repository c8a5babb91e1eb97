// Orders in SQLite. Each change is a write like a create: those that arrive together are committed together, in their order.

import type { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import { isDone, MOVES, type Moved } from '../../domain/order-moves.ts'
import type {
  ExpiredOrder,
  NewOrder,
  Order,
  OrderCheck,
  OrderStatus,
  OrderStore,
  Transition,
} from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { fromRow, selectList } from '../shared/columns.ts'
import { ORDERS, rowsOf } from '../shared/lists.ts'
import { HOLDS, ORDER_COLUMNS, PLACE_ORDER } from '../shared/order-columns.ts'
import {
  invalidExpiry,
  LATEST_EXPIRY_MS,
  notMoved,
  orderNotFound,
  petNotAvailable,
  petNotFound,
} from '../shared/order-refusals.ts'
import { inventoryReader } from './inventory.ts'
import { pages } from './pages.ts'
import type { Read, Statements } from './statements.ts'
import type { Writes, WriteTransaction } from './writes.ts'

/** What must be known of an order to move it. */
type Movable = Pick<Order, 'id' | 'petId' | 'changedAt'>

export function sqliteOrders(
  statements: Statements,
  read: Read,
  { write, writeOnce }: Writes,
  { now: clock }: Pick<StoreOptions, 'now'>,
): OrderStore {
  const byId = statements.query<object, [bigint]>(
    `SELECT ${selectList(ORDER_COLUMNS)} FROM ${rowsOf(ORDERS)} WHERE id = ?`,
  )
  const readPage = pages(statements, ORDERS)
  // Two statements: as one join they take 8 µs, apart less than one.
  const nameAndStatus = statements.query<{ name: string; status: PetStatus }, [bigint]>(
    'SELECT name, status FROM pets WHERE id = ?',
  )
  const holderOf = statements.query<{ id: bigint; expiresAt: bigint | null; changedAt: bigint }, [bigint]>(
    `SELECT id, expires_at AS expiresAt, changed_at AS changedAt FROM orders WHERE pet_id = ? AND ${HOLDS}`,
  )
  const insert = statements.query<never, [bigint, string | null, number | null, number, number]>(
    `INSERT INTO orders (pet_id, status, reference, expires_at, placed_at, changed_at) VALUES (?, 'pending', ?, ?, ?, ?)`,
  )
  const updateOrder = statements.query<never, [OrderStatus, number, bigint, OrderStatus]>(
    'UPDATE orders SET status = ?, changed_at = ? WHERE id = ? AND status = ?',
  )
  const updatePet = statements.query<never, [PetStatus, bigint, PetStatus]>(
    'UPDATE pets SET status = ? WHERE id = ? AND status = ?',
  )
  const insertTransition = statements.query<never, [bigint, OrderStatus, number, KeyId | null]>(
    'INSERT INTO order_transitions (order_id, status, at, key_id) VALUES (?, ?, ?, ?)',
  )
  // Without statistics SQLite would read every pending order instead. Where somebody has changed the pet by hand, nothing is done,
  // so that all others expire.
  const overdue = statements.query<ExpiredOrder & { changedAt: bigint }, [number, number]>(
    `SELECT id, pet_id AS petId, changed_at AS changedAt FROM orders INDEXED BY orders_by_expiry
     WHERE status = 'pending' AND expires_at <= ? AND (SELECT status FROM pets WHERE pets.id = pet_id) = 'pending'
     ORDER BY expires_at LIMIT +?`,
  )
  const inventory = inventoryReader(statements)

  function readOrder(id: bigint): Order | undefined {
    const row = byId.get(id)
    return row ? fromRow(ORDER_COLUMNS, row) : undefined
  }

  /**
   * Gives when: now, but not before the change that it follows, where the clock was set back. Throws where order or pet is not in the
   * status before: their statuses do not agree, and nothing may be built on that.
   */
  function move(transaction: WriteTransaction, { id, petId, changedAt }: Movable, to: Moved, by: KeyId | null): number {
    const { from, pet } = MOVES[to]
    const at = Math.max(transaction.now, changedAt)
    const moved = updateOrder.run(to, at, id, from).changes + updatePet.run(pet[1], petId, pet[0]).changes
    if (moved !== 2) throw new Error(`order ${id} is not ${from}, or pet ${petId} is not ${pet[0]}`)
    record(transaction, { id, petId, status: to }, at, by)
    return at
  }

  function record({ transitions }: WriteTransaction, transition: Transition, at: number, by: KeyId | null): void {
    insertTransition.run(transition.id, transition.status, at, by)
    transitions.push(transition)
  }

  function place(transaction: WriteTransaction, order: NewOrder, by: KeyId): Order | PetstoreError {
    const { now } = transaction
    const { petId, reference, expiresAt } = order
    if (expiresAt !== undefined && (expiresAt <= now || expiresAt > now + LATEST_EXPIRY_MS)) return invalidExpiry()
    const pet = nameAndStatus.get(petId)
    if (!pet) return petNotFound(petId)
    if (pet.status !== 'available') {
      const holder = readHolder(petId)
      if (!holder || pet.status !== 'pending' || !isOverdue(holder, now))
        return petNotAvailable(petId, pet.status, holder)
      move(transaction, holder, 'expired', null)
    }
    if (updatePet.run('pending', petId, 'available').changes !== 1) throw new Error(`pet ${petId} is not available`)
    const id = BigInt(insert.run(petId, reference ?? null, expiresAt ?? null, now, now).lastInsertRowid)
    record(transaction, { id, petId, status: 'pending' }, now, by)
    return { ...order, id, petName: pet.name, status: 'pending', placedAt: now, changedAt: now }
  }

  /** The order that holds the pet, if any. */
  function readHolder(petId: bigint): (Movable & Pick<Order, 'expiresAt'>) | undefined {
    const holder = holderOf.get(petId)
    if (!holder) return undefined
    const { id, expiresAt, changedAt } = holder
    return { id, petId, changedAt: Number(changedAt), expiresAt: expiresAt === null ? undefined : Number(expiresAt) }
  }

  function change(
    transaction: WriteTransaction,
    id: bigint,
    to: Exclude<Moved, 'expired'>,
    by: KeyId,
    check?: OrderCheck,
  ): Order | PetstoreError {
    const { now } = transaction
    let order = readOrder(id)
    if (!order) return orderNotFound(id)
    if (order.status === 'pending' && isOverdue(order, now)) {
      order = { ...order, status: 'expired', changedAt: move(transaction, order, 'expired', null) }
    }
    if (isDone(to, order.status)) return order
    if (order.status !== MOVES[to].from) return notMoved(order, to)
    const refusal = check?.(order)
    if (refusal) return refusal
    return { ...order, status: to, changedAt: move(transaction, order, to, by) }
  }

  function expire(transaction: WriteTransaction, limit: number): ExpiredOrder[] {
    return overdue.all(transaction.now, limit).map(({ id, petId, changedAt }) => {
      move(transaction, { id, petId, changedAt: Number(changedAt) }, 'expired', null)
      return { id, petId }
    })
  }

  return {
    placeOrder: (order, by, idempotencyKey) =>
      writeOnce(PLACE_ORDER, order, by, idempotencyKey, (transaction) => place(transaction, order, by)),
    getOrder: (id) => read(() => readOrder(id)),
    listOrders: (filter) => read(() => readPage(filter)),
    completeOrder: (id, by, check) => write(by, (transaction) => change(transaction, id, 'completed', by, check)),
    cancelOrder: (id, by, check) => write(by, (transaction) => change(transaction, id, 'cancelled', by, check)),
    returnOrder: (id, by, check) => write(by, (transaction) => change(transaction, id, 'returned', by, check)),
    getInventory: () => read(inventory),
    async expireOrders(limit) {
      // A write transaction is begun only where there is something to do.
      const due = await read(() => overdue.get(clock(), 1) !== null)
      return due ? write(null, (transaction) => expire(transaction, limit)) : []
    },
  }
}

function isOverdue({ expiresAt }: Pick<NewOrder, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}
