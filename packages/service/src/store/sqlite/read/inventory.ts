// The inventory: how many pets have each status. Pets are counted when the transaction that adds them ends; triggers follow their changes of
// status and their deletion (migrations/0021-schema.sql). Those that are not counted yet, which something else has added, are counted when it is read.

import type { Inventory } from '../../../domain/orders.ts'
import type { PetStatus } from '../../../domain/pets.ts'
import type { Read, Statements } from '../connect/statements.ts'

/** Counts the pets with ids up to `?1` that are not counted yet. It belongs to the transaction that adds them. */
export const COUNT_TO = `UPDATE inventory SET counted_to = ?1, pets = pets +
  (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to AND id <= ?1) WHERE counted_to < ?1`

export function inventoryReader(statements: Statements, read: Read): () => Promise<Inventory> {
  const inventory = statements.query<[PetStatus, bigint], []>(
    `SELECT status, pets + (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to) FROM inventory`,
  )
  return () => read(() => Object.fromEntries(inventory.values()) as Inventory)
}
