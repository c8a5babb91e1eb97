// Writes decisions (domain/decisions/) into SQLite, in the transaction that made them.

import type { StoredOrder } from '../../../domain/decisions/snapshot.ts'
import { addedIn, type Change, type Writes } from '../../../domain/decisions/working-copy.ts'
import type { Pet } from '../../../domain/pets.ts'
import { fieldsOf } from '../../shared/columns.ts'
import { rowOfAnswer } from '../../shared/idempotency.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS, STORED_ORDER_COLUMNS } from '../../shared/pet-and-order-columns.ts'
import { inserter, type Statements } from '../connect/statements.ts'
import { eventWriter } from '../read/events.ts'
import { searchIndex } from '../read/search.ts'

const { fields: PET_FIELDS, names: PET_NAMES } = fieldsOf(PET_COLUMNS)
const { fields: CHANGED_FIELDS, names: CHANGED_NAMES } = fieldsOf(NEW_PET_COLUMNS)
const { fields: ORDER_FIELDS, names: ORDER_NAMES } = fieldsOf(STORED_ORDER_COLUMNS)

/** Counts the uncounted pets with ids up to `?1`. Run it in the transaction that adds them. */
export const COUNT_TO = `UPDATE inventory SET counted_to = ?1, pets = pets +
  (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id > counted_to AND id <= ?1) WHERE counted_to < ?1`

/** Throws if a row changed since it was read. */
export function rowWriter(statements: Statements): (writes: Writes, now: number) => void {
  const addPets = inserter(statements, 'pets', [...PET_NAMES, 'created_at', 'created_by'])
  const correctPet = statements.query(
    `UPDATE pets SET ${CHANGED_NAMES.map((name) => `${name} = ?`)} WHERE id = ? AND status = ?`,
  )
  // A failure undoes the whole transaction. Without OR ROLLBACK, SQLite would journal each page before the statement
  // because of the trigger.
  const movePet = statements.query('UPDATE OR ROLLBACK pets SET status = ? WHERE id = ? AND status = ?')
  const deletePet = statements.query('DELETE FROM pets WHERE id = ?')
  const countTo = statements.query(COUNT_TO)
  const addOrders = inserter(statements, 'orders', ORDER_NAMES)
  const setOrder = statements.query(
    'UPDATE orders SET status = ?, reference = ?, expires_at = ?, changed_at = ? WHERE id = ? AND status = ?',
  )
  const keep = statements.query(
    'INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const nameOf = statements.query<{ name: string }>('SELECT name FROM pets WHERE id = ?')
  const writeEvents = eventWriter(statements)
  const search = searchIndex(statements)

  function changePet({ before, after }: Change<Pet>): void {
    // Sets only changed columns, because SQLite rewrites the indexes of every column that is set.
    const { changes } = hasMovedOnly(before, after)
      ? movePet.run(after.status, after.id, before.status)
      : correctPet.run(...CHANGED_FIELDS.map((field) => after[field] ?? null), after.id, before.status)
    expectOne(changes, `pet ${after.id}`)
  }

  function changeOrder({ before, after }: Change<StoredOrder>): void {
    const { id, status, reference = null, expiresAt = null, changedAt } = after
    expectOne(setOrder.run(status, reference, expiresAt, changedAt, id, before.status).changes, `order ${id}`)
  }

  function index({ petsChanged, petsDeleted, ordersChanged, ordersAdded }: Writes): void {
    for (const { before, after } of petsChanged) if (after.name !== before.name) search.renamePet(after.id, after.name)
    for (const { id } of petsDeleted) search.deletePet(id)
    const referred = ordersChanged.filter(({ before, after }) => after.reference !== before.reference)
    // Placing an order also changes its pet.
    const names = new Map(petsChanged.map(({ after }) => [after.id, after.name]))
    const nameNow = (id: bigint) => names.get(id) ?? nameOf.get(id)?.name ?? ''
    for (const { after } of referred) search.setOrder(after.id, after.reference, nameNow(after.petId))
    search.addOrders(ordersAdded, nameNow)
  }

  return (writes, now) => {
    const { events, petsChanged, petsDeleted, ordersChanged, ordersAdded, answers } = writes
    const added = addedIn(writes)
    addPets(added.map(({ pet, by }) => [...PET_FIELDS.map((field) => pet[field] ?? null), now, by]))
    for (const change of petsChanged) changePet(change)
    for (const { id } of petsDeleted) expectOne(deletePet.run(id).changes, `pet ${id}`)
    const last = added.at(-1)
    if (last) countTo.run(last.petId)
    for (const change of ordersChanged) changeOrder(change)
    addOrders(ordersAdded.map((order) => ORDER_FIELDS.map((field) => order[field] ?? null)))
    for (const answer of answers) {
      const { operation, request, answer: text } = rowOfAnswer(answer)
      keep.run(answer.by, answer.key, operation, request, text, now)
    }
    writeEvents(events)
    search.pets.add(added.map(({ pet }) => [pet.id, pet.name]))
    index(writes)
  }
}

function hasMovedOnly(before: Pet, after: Pet): boolean {
  return CHANGED_FIELDS.every((field) => field === 'status' || before[field] === after[field])
}

function expectOne(changes: number, row: string): void {
  if (changes !== 1) throw new Error(`${row} changed after it was read`)
}
