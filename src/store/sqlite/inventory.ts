// The inventory: how many pets have each status. Pets are counted when the transaction that adds them ends; a trigger follows their
// changes of status (migrations/0006-counted-inventory.sql).

import type { Inventory } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import type { Statements } from './statements.ts'

/** Of the pets with this status. `counted_to` is the last id that the row counts. */
const UNCOUNTED = 'SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to'

/** Counts the pets with ids up to `?1` that are not counted yet. It belongs to the transaction that adds them. */
export const COUNT_TO = `UPDATE inventory SET pets = pets + (${UNCOUNTED} AND id <= ?1), counted_to = ?1 WHERE counted_to < ?1`

export function inventoryReader(statements: Statements): () => Inventory {
  const inventory = statements.query<[PetStatus, bigint], []>(`SELECT status, pets + (${UNCOUNTED}) FROM inventory`)
  return () => Object.fromEntries(inventory.values()) as Inventory
}
