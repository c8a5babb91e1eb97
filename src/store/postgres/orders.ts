// Orders in PostgreSQL. What arrives together, placements and moves, is one call of a function of the database, whose clock
// decides (the functions say how); each gets its own answer.

import type { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import { isDone, MOVES, type Moved } from '../../domain/order-moves.ts'
import type { ExpiredOrder, Inventory, NewOrder, Order, OrderCheck, OrderStore } from '../../domain/orders.ts'
import type { Created, PetStatus } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { fromRow, selectList } from '../shared/columns.ts'
import { batched } from '../shared/group-commit.ts'
import { type FirstAnswer, replay, textOf } from '../shared/idempotency.ts'
import { ORDERS, rowsOf } from '../shared/lists.ts'
import { ORDER_COLUMNS, PLACE_ORDER } from '../shared/order-columns.ts'
import { invalidExpiry, notMoved, orderNotFound, petNotAvailable, petNotFound } from '../shared/order-refusals.ts'
import { callersOf, refusedKeys, without } from './callers.ts'
import type { PrimaryConnection } from './connection.ts'
import { forgetting, type Keyed, usedKey } from './idempotency.ts'
import { pages, rowsById } from './pages.ts'

const COLUMNS = selectList(ORDER_COLUMNS)
const INVENTORY = 'SELECT status, pets FROM inventory'
const CHANGE = `SELECT place, changed, refusal, pet_status AS "petStatus", operation, request, answer, ${COLUMNS}
  FROM petstore_change_orders(
    $1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::json)`
const VERSIONED = `SELECT ${COLUMNS}, petstore_order_version(id) AS version FROM ${rowsOf(ORDERS)} WHERE id = $1`
const EXPIRE = 'SELECT id, pet_id AS "petId" FROM petstore_expire_orders($1)'

/** Other writes wait for the lock meanwhile: for about 10 ms. */
const EXPIRED_AT_ONCE = 200

interface Placement extends Keyed {
  order: NewOrder
}

interface Move {
  id: bigint
  by: KeyId
  to: Moved
  /** Only if the order still has this version: otherwise it is left in its status. */
  version?: string | undefined
}

/** As functions/change-orders.sql says. */
type ChangeRow = { place: bigint | null; changed: boolean; petStatus: PetStatus } & FirstAnswer &
  Order & { refusal: 'invalid_order' | 'pet_not_found' | 'pet_not_available' | null; expiresAt: bigint | null }

type Outcome = Created<Order> | PetstoreError

/** No order has it. */
const NO_VERSION = ''

export function postgresOrders(
  { read, change, background }: PrimaryConnection,
  { onBatch, onTransitions }: StoreOptions,
): Omit<OrderStore, 'updateOrder'> {
  const forget = forgetting(background)

  async function changeAll(batch: (Move | Placement)[]): Promise<Outcome[]> {
    const moves = batch.filter((item) => 'to' in item)
    const placements = batch.filter((item) => 'order' in item)
    const rows = await change<ChangeRow>(
      CHANGE,
      callersOf(batch),
      `{${moves.map(({ id }) => id)}}`,
      `{${moves.map(({ to }) => to)}}`,
      `{${moves.map(({ by }) => by)}}`,
      moves.some(({ version }) => version !== undefined)
        ? `{${moves.map(({ version }) => (version === undefined ? 'NULL' : `"${version}"`))}}`
        : null,
      JSON.stringify(placements.map(toRow)),
    )
    const refused = refusedKeys(rows)
    if (refused) return without(refused, batch, changeAll)
    forget()
    // Two moves of one order to the same status are one change.
    const changed = new Map(
      rows.filter(({ changed }) => changed).map(({ id, petId, status }) => [id, { id, petId, status }]),
    )
    if (changed.size > 0) onTransitions?.([...changed.values()])
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]))
    const rowOf = new Map([...moves, ...placements].map((item, index) => [item, byPlace.get(index + 1)]))
    return batch.map((item) =>
      'to' in item ? outcomeOfMove(item, rowOf.get(item)) : outcomeOfPlacement(item, rowOf.get(item) as ChangeRow),
    )
  }
  const changeOne = batched(changeAll, onBatch, (item) =>
    'to' in item ? [`order ${item.id}`, item.version === undefined ? item.to : Symbol()] : usedKey(item),
  )

  async function move(id: bigint, by: KeyId, to: Moved, check?: OrderCheck): Promise<Order> {
    return check ? moveChecked(id, by, to, check) : (await changeOne({ id, by, to })).value
  }

  /** `check` is asked about the order as it is read. When that is not what the transaction finds, it is asked about the latter. */
  async function moveChecked(id: bigint, by: KeyId, to: Moved, check: OrderCheck): Promise<Order> {
    for (;;) {
      const [seen] = await read<Order & { version: string }>(VERSIONED, id)
      const version = seen && !check(fromRow(ORDER_COLUMNS, seen)) ? seen.version : NO_VERSION
      const { value: order } = await changeOne({ id, by, to, version })
      if (order.status !== MOVES[to].from) return order
      const refusal = check(order)
      if (refusal) throw refusal
    }
  }

  async function readInventory(): Promise<Inventory> {
    const rows = await read<{ status: PetStatus; pets: bigint }>(INVENTORY)
    const counts = new Map(rows.map(({ status, pets }) => [status, pets]))
    const count = (status: PetStatus) => counts.get(status) ?? 0n
    return { available: count('available'), pending: count('pending'), sold: count('sold') }
  }

  return {
    placeOrder: (order, by, idempotencyKey) => changeOne({ order, by, idempotencyKey }),
    completeOrder: (id, by, check) => move(id, by, 'completed', check),
    cancelOrder: (id, by, check) => move(id, by, 'cancelled', check),
    returnOrder: (id, by, check) => move(id, by, 'returned', check),
    getOrder: rowsById(read, ORDERS, ORDER_COLUMNS),
    listOrders: pages(read, ORDERS),
    getInventory: readInventory,
    expireOrders: async (limit = EXPIRED_AT_ONCE) => {
      const rows = await change<ExpiredOrder>(EXPIRE, limit)
      const expired = rows.map(({ id, petId }) => ({ id, petId }))
      if (expired.length > 0) onTransitions?.(expired.map((order) => ({ ...order, status: 'expired' })))
      return expired
    },
  }
}

function toRow({ order, by, idempotencyKey: key }: Placement) {
  const { petId, reference, expiresAt } = order
  const request = key === undefined ? undefined : textOf(PLACE_ORDER.request, order)
  return { pet_id: String(petId), reference, expires_at: expiresAt, key_id: String(by), key, request }
}

function outcomeOfMove({ id, to, version }: Move, row: ChangeRow | undefined): Outcome {
  if (!row) return orderNotFound(id)
  const order = fromRow(ORDER_COLUMNS, row)
  // An order that is asked for with a version may have been left in its status: the caller sees it.
  const isLeft = version !== undefined && order.status === MOVES[to].from
  return isDone(to, order.status) || isLeft ? { value: order, replayed: false } : notMoved(order, to)
}

function outcomeOfPlacement({ order }: Placement, row: ChangeRow): Outcome {
  if (row.operation !== null) return replay(PLACE_ORDER, row, textOf(PLACE_ORDER.request, order))
  if (row.refusal === 'invalid_order') return invalidExpiry()
  if (row.refusal === 'pet_not_found') return petNotFound(order.petId)
  if (row.refusal === null) return { value: fromRow(ORDER_COLUMNS, row), replayed: false }
  const expiresAt = row.expiresAt === null ? undefined : Number(row.expiresAt)
  return petNotAvailable(order.petId, row.petStatus, row.id === null ? undefined : { id: row.id, expiresAt })
}
