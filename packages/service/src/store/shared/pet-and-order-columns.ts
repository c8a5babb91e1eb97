// The columns of pets and orders in both stores. An order's `pet_name` is looked up from the pet.

import type { StoredOrder } from '../../domain/decisions/snapshot.ts'
import { HOLDING } from '../../domain/order-transitions.ts'
import type { NewOrder, Order } from '../../domain/orders.ts'
import type { NewPet, Pet } from '../../domain/pets.ts'
import { type Columns, rowJson } from './columns.ts'

const id = { column: 'id', kind: 'integer' } as const

/** The fields that a client sends. */
export const NEW_PET_COLUMNS: Columns<NewPet> = {
  name: { column: 'name', kind: 'text' },
  categoryId: { column: 'category_id', kind: 'integer' },
  status: { column: 'status', kind: 'word' },
}

export const PET_COLUMNS: Columns<Pet> = { id, ...NEW_PET_COLUMNS }

/** The fields that a client sends. */
export const NEW_ORDER_COLUMNS: Columns<NewOrder> = {
  petId: { column: 'pet_id', kind: 'integer' },
  reference: { column: 'reference', kind: 'text', optional: true },
  expiresAt: { column: 'expires_at', kind: 'time', optional: true },
}

const { petId, ...optional } = NEW_ORDER_COLUMNS

const later = {
  status: { column: 'status', kind: 'word' },
  placedAt: { column: 'placed_at', kind: 'time' },
  changedAt: { column: 'changed_at', kind: 'time' },
  ...optional,
} as const

/** The columns of the table. */
export const STORED_ORDER_COLUMNS: Columns<StoredOrder> = { id, petId, ...later }

export const ORDER_COLUMNS: Columns<Order> = { id, petId, petName: { column: 'pet_name', kind: 'text' }, ...later }

export const orderJson = (order: Order): string => rowJson(ORDER_COLUMNS, order)

/**
 * The condition of orders that expire. Reservations whose pet was changed by hand are skipped, so that the others
 * expire. PostgreSQL estimates that a condition of this form is true for half of the rows, so it reads along the index;
 * it would expect hardly any row with `(SELECT status …) = 'pending'`, and sort all of them.
 */
export const EXPIRES = `status = 'pending' AND expires_at IS NOT NULL
  AND (SELECT status = 'pending' FROM pets WHERE pets.id = orders.pet_id)`

/** The condition of the index `orders_that_hold`. */
export const HOLDS = `status IN (${HOLDING.map((status) => `'${status}'`).join(', ')})`
