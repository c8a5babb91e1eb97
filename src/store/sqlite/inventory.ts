// The inventory: how many pets have each status. Pets are counted when the transaction that adds them ends; a trigger follows their
// changes of status (migrations/0006-counted-inventory.sql), and a view adds those that are not counted yet
// (migrations/0007-inventory-view.sql).

import type { Inventory } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'
import type { Statements } from './statements.ts'

/** Counts the pets with ids up to `?1` that are not counted yet. It belongs to the transaction that adds them. */
export const COUNT_TO = `UPDATE pet_counts SET counted_to = ?1, pets = pets +
  (SELECT count(*) FROM pets WHERE pets.status = pet_counts.status AND id > counted_to AND id <= ?1) WHERE counted_to < ?1`

export function inventoryReader(statements: Statements): () => Inventory {
  const inventory = statements.query<[PetStatus, bigint], []>('SELECT status, pets FROM inventory')
  return () => Object.fromEntries(inventory.values()) as Inventory
}
