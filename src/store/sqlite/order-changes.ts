// What a transaction of SQLite does to orders and their pets: places, moves, changes and expires them, and records who did it and when.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import { type Asked, isDone, MOVES, type Moved } from '../../domain/order-moves.ts'
import type {
  ExpiredOrder,
  NewOrder,
  Order,
  OrderChange,
  OrderCheck,
  OrderStatus,
  Transition,
} from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import { fieldsOf, fromRow, selectList } from '../shared/columns.ts'
import { correctedOrder } from '../shared/corrections.ts'
import { ORDERS, rowsOf } from '../shared/lists.ts'
import { HOLDS, NEW_ORDER_COLUMNS, ORDER_COLUMNS } from '../shared/order-columns.ts'
import {
  invalidExpiry,
  isBadExpiry,
  notMoved,
  orderNotFound,
  petNotAvailable,
  petNotFound,
} from '../shared/order-refusals.ts'
import type { EventWriter } from './events.ts'
import type { Statements } from './statements.ts'
import type { WriteTransaction } from './writes.ts'

const { fields: FIELDS, names: COLUMNS } = fieldsOf(NEW_ORDER_COLUMNS)

interface Holder {
  id: bigint
  status: OrderStatus
  expiresAt: bigint | null
  changedAt: bigint
}

/** What must be known of an order to move it. */
type Movable = Pick<Order, 'id' | 'petId' | 'changedAt'>

/** Except for `read` and `isDue`, each method needs the write transaction that it is given. */
export class OrderChanges {
  private readonly sql: ReturnType<typeof prepared>

  constructor(
    statements: Statements,
    private readonly events: EventWriter,
  ) {
    this.sql = prepared(statements)
  }

  read(id: bigint): Order | undefined {
    const row = this.sql.byId.get(id)
    return row ? fromRow(ORDER_COLUMNS, row) : undefined
  }

  isDue(now: number): boolean {
    return this.sql.overdue.get(now, 1) !== null
  }

  place(transaction: WriteTransaction, order: NewOrder, by: KeyId): Order | PetstoreError {
    const { now } = transaction
    const { petId, expiresAt } = order
    if (expiresAt !== undefined && isBadExpiry(expiresAt, now)) return invalidExpiry()
    const pet = this.sql.nameAndStatus.get(petId)
    if (!pet) return petNotFound(petId)
    if (pet.status !== 'available' && !this.expireHolder(transaction, petId)) {
      return petNotAvailable(petId, pet.status, this.holderOf(petId))
    }
    const reserved = this.sql.updatePet.run('pending', petId, 'available').changes
    if (reserved !== 1) throw new Error(`pet ${petId} is not available`)
    const { lastInsertRowid } = this.sql.insert.run(...FIELDS.map((field) => order[field] ?? null), now, now)
    const id = BigInt(lastInsertRowid)
    this.record(transaction, { id, petId, status: 'pending' }, now, by)
    return { ...order, id, petName: pet.name, status: 'pending', placedAt: now, changedAt: now }
  }

  change(transaction: WriteTransaction, id: bigint, to: Asked, by: KeyId, check?: OrderCheck): Order | PetstoreError {
    const order = this.readNow(transaction, id)
    if (!order) return orderNotFound(id)
    if (isDone(to, order.status)) return order
    if (order.status !== MOVES[to].from) return notMoved(order, to)
    const refusal = check?.(order)
    if (refusal) return refusal
    return { ...order, status: to, changedAt: this.move(transaction, order, to, by) }
  }

  update(
    transaction: WriteTransaction,
    id: bigint,
    change: OrderChange,
    by: KeyId,
    check?: OrderCheck,
  ): Order | PetstoreError {
    const before = this.readNow(transaction, id)
    const after = correctedOrder(id, before, change, transaction.now, check)
    if (after instanceof PetstoreError || after === before) return after
    const { reference = null, expiresAt = null, changedAt, petId } = after
    this.sql.update.run(reference, expiresAt, changedAt, id)
    this.events.add(transaction, { type: 'order.changed', at: changedAt, by, petId, orderId: id })
    return after
  }

  /** Expires the reservation that holds the pet, when its time is over. Gives whether it did. */
  expireHolder(transaction: WriteTransaction, petId: bigint): boolean {
    const holder = this.holderOf(petId)
    if (holder?.status !== 'pending' || !isOverdue(holder, transaction.now)) return false
    this.move(transaction, holder, 'expired', null)
    return true
  }

  expire(transaction: WriteTransaction, limit: number): ExpiredOrder[] {
    return this.sql.overdue.all(transaction.now, limit).map(({ id, petId, changedAt }) => {
      this.move(transaction, { id, petId, changedAt: Number(changedAt) }, 'expired', null)
      return { id, petId }
    })
  }

  /** The order as it is now: an overdue reservation is expired first. */
  private readNow(transaction: WriteTransaction, id: bigint): Order | undefined {
    const order = this.read(id)
    if (order?.status !== 'pending' || !isOverdue(order, transaction.now)) return order
    return { ...order, status: 'expired', changedAt: this.move(transaction, order, 'expired', null) }
  }

  /**
   * Gives when: now, but not before the change that it follows, where the clock was set back. Throws where order or pet is not in the
   * status before: their statuses do not agree, and nothing may be built on that.
   */
  private move(transaction: WriteTransaction, { id, petId, changedAt }: Movable, to: Moved, by: KeyId | null): number {
    const { from, pet } = MOVES[to]
    const at = Math.max(transaction.now, changedAt)
    const orders = this.sql.updateOrder.run(to, at, id, from).changes
    const pets = this.sql.updatePet.run(pet[1], petId, pet[0]).changes
    if (orders + pets !== 2) throw new Error(`order ${id} is not ${from}, or pet ${petId} is not ${pet[0]}`)
    this.record(transaction, { id, petId, status: to }, at, by)
    return at
  }

  private record(transaction: WriteTransaction, transition: Transition, at: number, by: KeyId | null): void {
    const { id, petId, status } = transition
    const type = `order.${status === 'pending' ? 'placed' : status}` as const
    this.events.add(transaction, { type, at, by, petId, orderId: id })
    transaction.transitions.push(transition)
  }

  /** The order that holds the pet, if any. */
  holderOf(petId: bigint): (Movable & Pick<Order, 'status' | 'expiresAt'>) | undefined {
    const holder = this.sql.holder.get(petId)
    if (!holder) return undefined
    const { expiresAt, changedAt } = holder
    return {
      ...holder,
      petId,
      changedAt: Number(changedAt),
      expiresAt: expiresAt === null ? undefined : Number(expiresAt),
    }
  }
}

function prepared(statements: Statements) {
  return {
    byId: statements.query<object, [bigint]>(`SELECT ${selectList(ORDER_COLUMNS)} FROM ${rowsOf(ORDERS)} WHERE id = ?`),
    // Two statements: as one join they take 8 µs, apart less than one.
    nameAndStatus: statements.query<{ name: string; status: PetStatus }, [bigint]>(
      'SELECT name, status FROM pets WHERE id = ?',
    ),
    holder: statements.query<Holder, [bigint]>(
      `SELECT id, status, expires_at AS expiresAt, changed_at AS changedAt FROM orders WHERE pet_id = ? AND ${HOLDS}`,
    ),
    insert: statements.query<never, (string | bigint | number | null)[]>(
      `INSERT INTO orders (${COLUMNS}, status, placed_at, changed_at) VALUES (${COLUMNS.map(() => '?')}, 'pending', ?, ?)`,
    ),
    updateOrder: statements.query<never, [OrderStatus, number, bigint, OrderStatus]>(
      'UPDATE orders SET status = ?, changed_at = ? WHERE id = ? AND status = ?',
    ),
    update: statements.query<never, [string | null, number | null, number, bigint]>(
      'UPDATE orders SET reference = ?, expires_at = ?, changed_at = ? WHERE id = ?',
    ),
    updatePet: statements.query<never, [PetStatus, bigint, PetStatus]>(
      'UPDATE pets SET status = ? WHERE id = ? AND status = ?',
    ),
    // Without statistics SQLite would read every pending order instead. Where somebody has changed the pet by hand, nothing is done,
    // so that all others expire.
    overdue: statements.query<ExpiredOrder & { changedAt: bigint }, [number, number]>(
      `SELECT id, pet_id AS petId, changed_at AS changedAt FROM orders INDEXED BY orders_by_expiry
       WHERE status = 'pending' AND expires_at <= ? AND (SELECT status FROM pets WHERE pets.id = pet_id) = 'pending'
       ORDER BY expires_at LIMIT +?`,
    ),
  }
}

function isOverdue({ expiresAt }: Pick<NewOrder, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}
