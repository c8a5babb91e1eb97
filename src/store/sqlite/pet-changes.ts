// What a transaction of SQLite does to pets that are there: corrects and deletes them, and records who did it and when.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Pet, PetChange, PetCheck } from '../../domain/pets.ts'
import { fieldsOf, fromRow, selectList } from '../shared/columns.ts'
import { correctedPet, deletionRefusal } from '../shared/corrections.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../shared/pet-columns.ts'
import type { EventWriter } from './events.ts'
import type { OrderChanges } from './order-changes.ts'
import type { Statements } from './statements.ts'
import type { WriteTransaction } from './writes.ts'

const { fields: FIELDS, names: COLUMNS } = fieldsOf(NEW_PET_COLUMNS)

/** Except for `read`, each method needs the write transaction that it is given. */
export class PetChanges {
  private readonly sql: ReturnType<typeof prepared>

  constructor(
    statements: Statements,
    private readonly orders: OrderChanges,
    private readonly events: EventWriter,
  ) {
    this.sql = prepared(statements)
  }

  read(id: bigint): Pet | undefined {
    const row = this.sql.byId.get(id)
    return row ? fromRow(PET_COLUMNS, row) : undefined
  }

  update(
    transaction: WriteTransaction,
    id: bigint,
    change: PetChange,
    by: KeyId,
    check?: PetCheck,
  ): Pet | PetstoreError {
    if (change.status !== undefined) this.orders.expireHolder(transaction, id)
    const before = this.read(id)
    const after = correctedPet(id, before, change, this.orders.holderOf(id)?.id, check)
    if (after instanceof PetstoreError || after === before) return after
    this.sql.update.run(...FIELDS.map((field) => after[field] ?? null), id)
    this.events.add(transaction, { type: 'pet.changed', at: transaction.now, by, petId: id, pet: after })
    return after
  }

  delete(transaction: WriteTransaction, id: bigint, by: KeyId, check?: PetCheck): undefined | PetstoreError {
    const refusal = deletionRefusal(id, this.read(id), this.sql.hasOrders.get(id) !== null, check)
    if (refusal) return refusal
    this.sql.remove.run(id)
    this.events.add(transaction, { type: 'pet.deleted', at: transaction.now, by, petId: id })
    return undefined
  }
}

function prepared(statements: Statements) {
  return {
    byId: statements.query<object, [bigint]>(`SELECT ${selectList(PET_COLUMNS)} FROM pets WHERE id = ?`),
    hasOrders: statements.query<object, [bigint]>('SELECT 1 FROM orders WHERE pet_id = ? LIMIT 1'),
    update: statements.query<never, (string | bigint | null)[]>(
      `UPDATE pets SET ${COLUMNS.map((column) => `${column} = ?`)} WHERE id = ?`,
    ),
    remove: statements.query<never, [bigint]>('DELETE FROM pets WHERE id = ?'),
  }
}
