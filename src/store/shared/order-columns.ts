// An order's columns, in both stores. `pet_name` comes from the pet.

import { HOLDING } from '../../domain/order-moves.ts'
import type { NewOrder, Order } from '../../domain/orders.ts'
import type { Columns } from './columns.ts'
import type { IdempotentOperation } from './idempotency.ts'

/** What a client sends. */
export const NEW_ORDER_COLUMNS: Columns<NewOrder> = {
  petId: { column: 'pet_id', kind: 'integer' },
  reference: { column: 'reference', kind: 'text', optional: true },
  expiresAt: { column: 'expires_at', kind: 'time', optional: true },
}

const { petId, ...optional } = NEW_ORDER_COLUMNS

export const ORDER_COLUMNS: Columns<Order> = {
  id: { column: 'id', kind: 'integer' },
  petId,
  petName: { column: 'pet_name', kind: 'text' },
  status: { column: 'status', kind: 'word' },
  placedAt: { column: 'placed_at', kind: 'time' },
  changedAt: { column: 'changed_at', kind: 'time' },
  ...optional,
}

export const PLACE_ORDER: IdempotentOperation<NewOrder, Order> = {
  name: 'placeOrder',
  request: NEW_ORDER_COLUMNS,
  answer: ORDER_COLUMNS,
}

/** That an order holds its pet, as the index `orders_that_hold` says it. */
export const HOLDS = `status IN (${HOLDING.map((status) => `'${status}'`).join(', ')})`
