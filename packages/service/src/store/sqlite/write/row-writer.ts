// Writes decisions (domain/decisions/) into SQLite, in the transaction that made them.

import type { StoredOrder } from '../../../domain/decisions/snapshot.ts'
import { addedIn, type Change, type Writes } from '../../../domain/decisions/working-copy.ts'
import type { NewEvent } from '../../../domain/events.ts'
import type { Pet } from '../../../domain/pets.ts'
import { indexedWords } from '../../../domain/words.ts'
import { EVENT_PET_COLUMNS, NEW_EVENT_COLUMNS, rowsOfEvents } from '../../shared/events.ts'
import { ORDERS, PETS, rowsOf, type StoredList, textOfOrder } from '../../shared/lists.ts'
import {
  fieldsOf,
  jsonObject,
  NEW_PET_COLUMNS,
  PET_COLUMNS,
  rowOfAnswer,
  STORED_ORDER_COLUMNS,
} from '../../shared/rows.ts'
import { inserter, type Statements } from '../connect/statements.ts'
import { SQLITE_JSON } from '../read/pages.ts'

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
    // Placing an order also changes its pet.
    const names = new Map(petsChanged.map(({ after }) => [after.id, after.name]))
    const nameNow = (id: bigint) => names.get(id) ?? nameOf.get(id)?.name ?? ''
    const textOf = ({ reference, petId }: StoredOrder) => textOfOrder(reference, nameNow(petId))
    for (const { before, after } of ordersChanged)
      if (after.reference !== before.reference) search.orders.set(after.id, textOf(after))
    search.orders.add(ordersAdded.map((order) => [order.id, textOf(order)]))
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

const EVENT_COLUMNS = Object.keys(NEW_EVENT_COLUMNS) as (keyof typeof NEW_EVENT_COLUMNS)[]

/**
 * Events of the pets that the transaction added, starting at an id. Copying from `pets` takes half the time of passing
 * each value.
 */
const OF_PETS = `INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet)
  SELECT 'pet.added', created_at, iif(id = ?1 AND (created_at > ?2) IS NOT FALSE, created_at, NULL), created_by, id, status,
    ${jsonObject(EVENT_PET_COLUMNS, SQLITE_JSON)}
  FROM pets WHERE id >= ?1 ORDER BY id`

/** Call it after the changes, in their transaction. */
function eventWriter(statements: Statements): (events: readonly NewEvent[]) => void {
  const ofPets = statements.query(OF_PETS)
  const insert = inserter(statements, 'events', EVENT_COLUMNS)
  const latest = statements.query<{ reached: bigint }>(
    'SELECT reached FROM events INDEXED BY events_by_time WHERE reached IS NOT NULL ORDER BY reached DESC LIMIT 1',
  )
  return (events) => {
    const [first] = events
    if (!first) return
    const reached = latest.get()?.reached
    if (events.every(({ type }) => type === 'pet.added')) return void ofPets.run(first.petId, reached ?? null)
    insert(rowsOfEvents(events, reached).map((row) => EVENT_COLUMNS.map((column) => row[column])))
  }
}

/**
 * The index stores each word with a character in front that stands for its row's block of 2^20 ids. FTS5 merges all
 * rows of a word in one step while every write waits, and the block limits their number. Blocks that are 36 apart share a
 * character.
 */
export const BLOCK_BITS = 20n

/**
 * Call these in the transaction of the change, after all other writes. FTS5 buffers its rows, and other statements in
 * between would make it write them more often.
 */
export function searchIndex(statements: Statements) {
  const [pets, orders] = [wordsTable(statements, PETS), wordsTable(statements, ORDERS)]
  const remove = statements.query('DELETE FROM search_pets WHERE rowid = ?')
  const ordersOf = statements.query<[bigint, string | null]>('SELECT id, reference FROM orders WHERE pet_id = ?')

  return {
    pets,
    orders,
    /** Also updates the pet's orders, which can be found by its name. */
    renamePet(id: bigint, name: string) {
      pets.set(id, name)
      for (const [order, reference] of ordersOf.values(id)) orders.set(order, textOfOrder(reference, name))
    },
    deletePet: (id: bigint) => void remove.run(id),
  }
}

type Texts = readonly (readonly [id: bigint, text: string])[]

function wordsTable(statements: Statements, list: Pick<StoredList<never>, 'table' | 'lookup' | 'searched'>) {
  const table = `search_${list.table}`
  const insert = inserter(statements, table, ['rowid', 'words'])
  const replace = statements.query(`INSERT OR REPLACE INTO ${table} (rowid, words) VALUES (?, ?)`)
  const rows = statements.query<[bigint, string]>(
    `SELECT id, ${list.searched} FROM ${rowsOf(list)} WHERE id > ? ORDER BY id LIMIT +?`,
  )
  const row = (id: bigint, text: string) => [id, inBlock(id >> BLOCK_BITS, indexedWords(text))]
  const set = (id: bigint, text: string) => void replace.run(...row(id, text))
  return {
    add: (texts: Texts) => insert(texts.map(([id, text]) => row(id, text))),
    set,
    /** Indexes up to `limit` rows after `after` that were written without it. Returns the last id. */
    addRows(after: bigint, limit: number): bigint | undefined {
      const found = rows.values(after, limit)
      for (const [id, text] of found) set(id, text)
      return found.at(-1)?.[0]
    },
  }
}

function inBlock(block: bigint, words: string): string {
  const letter = letterOf(block)
  return words && letter + words.replaceAll(' ', ` ${letter}`)
}

export function letterOf(block: bigint): string {
  return (block % 36n).toString(36)
}
