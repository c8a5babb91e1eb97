// The inventory: how many pets have each status. A transaction counts the pets that it adds when it ends; triggers
// count changes of status and deletions (migrations/0021-schema.sql). Pets that were added without being counted are
// counted when the inventory is read.

import type { Inventory } from '../../../domain/orders.ts'
import type { PetStatus } from '../../../domain/pets.ts'
import type { Read, Statements } from '../connect/statements.ts'

/** Counts the uncounted pets with ids up to `?1`. Run it in the transaction that adds them. */
export const COUNT_TO = `UPDATE inventory SET counted_to = ?1, pets = pets +
  (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to AND id <= ?1) WHERE counted_to < ?1`

export function inventoryReader(statements: Statements, read: Read): () => Promise<Inventory> {
  const inventory = statements.query<[PetStatus, bigint]>(
    `SELECT status, pets + (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to) FROM inventory`,
  )
  return () => read(() => Object.fromEntries(inventory.values()) as Inventory)
}
