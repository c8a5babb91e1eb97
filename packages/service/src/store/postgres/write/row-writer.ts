// Writes decisions (domain/decisions/) into PostgreSQL with one statement, in the transaction that made them. The
// statement consists of the parts that have rows.

import { addedIn, type Change, type Writes } from '../../../domain/decisions/working-copy.ts'
import { indexedWords } from '../../../domain/words.ts'
import { NEW_EVENT_COLUMNS, rowsOfEvents } from '../../shared/events.ts'
import {
  type AnyColumns,
  columnsOf,
  NEW_PET_COLUMNS,
  PET_COLUMNS,
  rowOfAnswer,
  STORED_ORDER_COLUMNS,
} from '../../shared/rows.ts'
import type { Session } from '../connect/session.ts'
import { INDEX_ORDERS, indexedOrder, indexPets, vectorOf } from './search-index.ts'
import type { ReadSnapshot } from './snapshot.ts'

/** Read under the lock that orders commits. */
type Read = Pick<ReadSnapshot, 'now' | 'lastReached'>

interface Part {
  readonly name: string
  readonly columns: AnyColumns
  /** A statement that reads the table `new` and returns the id of each row that it writes. */
  readonly sql: string
  /** The database assigns the ids in row order; they must equal the decided ones. */
  readonly assigns?: true
  rows(writes: Writes, read: Read): readonly object[]
}

const BEFORE = { before: { column: 'before', kind: 'word' } }
const { id: _, ...NEW_ORDER } = STORED_ORDER_COLUMNS
const NEW_PET_NAMES = Object.values(NEW_PET_COLUMNS).map(({ column }) => column)
const NEW_ORDER_NAMES = Object.values(NEW_ORDER).map(({ column }) => column)
const ANSWER = columnsOf(['by', 'at'], ['key', 'operation', 'request', 'answer'])
const EVENT = { ...columnsOf(['place'], []), ...NEW_EVENT_COLUMNS }
const EVENT_NAMES = Object.keys(NEW_EVENT_COLUMNS)

const PARTS: readonly Part[] = [
  {
    name: 'pets_added',
    columns: { ...PET_COLUMNS, ...columnsOf(['by', 'at'], []) },
    assigns: true,
    sql: `INSERT INTO pets (${NEW_PET_NAMES}, created_at, created_by)
      SELECT ${NEW_PET_NAMES}, at, by FROM new ORDER BY new.id RETURNING id`,
    rows: (writes) => addedIn(writes).map(({ pet, by, at }) => ({ ...pet, by, at })),
  },
  {
    name: 'pets_indexed',
    columns: columnsOf(['id'], ['words']),
    sql: `INSERT INTO search_pets (id, words) SELECT id, ${vectorOf('words')} FROM new RETURNING id`,
    rows: (writes) => addedIn(writes).map(({ pet: { id, name } }) => ({ id, words: indexedWords(name) })),
  },
  {
    name: 'pets_changed',
    columns: { ...PET_COLUMNS, ...BEFORE },
    sql: update('pets', NEW_PET_NAMES),
    rows: ({ petsChanged }) => petsChanged.map(withStatusBefore),
  },
  {
    name: 'pets_deleted',
    columns: PET_COLUMNS,
    sql: 'DELETE FROM pets WHERE id = ANY (ARRAY(SELECT id FROM new)) RETURNING id',
    rows: ({ petsDeleted }) => petsDeleted,
  },
  {
    name: 'orders_changed',
    columns: { ...STORED_ORDER_COLUMNS, ...BEFORE },
    sql: update('orders', ['status', 'reference', 'expires_at', 'changed_at']),
    rows: ({ ordersChanged }) => ordersChanged.map(withStatusBefore),
  },
  {
    name: 'orders_added',
    columns: STORED_ORDER_COLUMNS,
    assigns: true,
    // Orders are changed first, because a pet whose order ends can be ordered again in the same batch.
    sql: `INSERT INTO orders (${NEW_ORDER_NAMES}) SELECT ${NEW_ORDER_NAMES} FROM new
      WHERE (SELECT count(*) FROM orders_changed) >= 0 ORDER BY new.id RETURNING id`,
    rows: ({ ordersAdded }) => ordersAdded,
  },
  {
    name: 'orders_indexed',
    columns: columnsOf(['id', 'pet_id'], ['words']),
    sql: INDEX_ORDERS,
    rows: ({ ordersAdded, ordersChanged }) => [
      ...ordersAdded.map(indexedOrder),
      ...ordersChanged.flatMap(({ before, after }) =>
        before.reference === after.reference ? [] : indexedOrder(after),
      ),
    ],
  },
  {
    name: 'answers_kept',
    columns: ANSWER,
    sql: `INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
      SELECT by, key, operation, request, answer, at FROM new RETURNING key_id AS id`,
    rows: ({ answers }, { now: at }) => answers.map((answer) => ({ ...answer, at, ...rowOfAnswer(answer) })),
  },
  {
    name: 'events_added',
    columns: EVENT,
    sql: `INSERT INTO events (${EVENT_NAMES}) SELECT ${EVENT_NAMES} FROM new ORDER BY place RETURNING id`,
    rows: ({ events }, { lastReached }) => rowsOfEvents(events, lastReached).map((row, place) => ({ place, ...row })),
  },
]

type Given = { readonly part: Part; readonly rows: readonly object[] }

const ADDING = ['pets_added', 'pets_indexed']
const texts = new Map<string, string>()

/**
 * Sends the last statement of the transaction. It fails, and nothing is committed, if a row changed since it was read.
 */
export async function writeRows({ execute, finish }: Session, writes: Writes, read: Read): Promise<void> {
  const given = PARTS.map((part) => ({ part, rows: part.rows(writes, read) })).filter(({ rows }) => rows.length > 0)
  if (given.length === 0) return
  const first = changesAdded(writes) ? given.filter(({ part }) => ADDING.includes(part.name)) : []
  if (first.length > 0) await execute(textOf(first), ...parametersOf(first))
  await indexPets(execute, writes)
  const last = given.filter((each) => !first.includes(each))
  finish(textOf(last), ...parametersOf(last))
}

/**
 * Whether a batch adds a pet and changes it, for a client that guessed its id. A statement does not see the rows that
 * it adds.
 */
function changesAdded(writes: Writes): boolean {
  const changed = new Set([...writes.petsChanged.map(({ after }) => after), ...writes.petsDeleted].map(({ id }) => id))
  return changed.size > 0 && addedIn(writes).some(({ petId }) => changed.has(petId))
}

function parametersOf(given: readonly Given[]): string[] {
  const count = given.reduce((sum, { rows }) => sum + rows.length, 0)
  const assigned = given.flatMap(({ part, rows }) => (part.assigns ? (rows.at(-1) as { id: bigint }).id : []))
  return [...given.flatMap(({ part, rows }) => arraysOf(part.columns, rows)), [count, ...assigned].join(' ')]
}

function textOf(given: readonly Given[]): string {
  const parts = given.map(({ part }) => part)
  const names = parts.map(({ name }) => name)
  return texts.getOrInsertComputed(names.join(), () => statement(parts, names))
}

function statement(parts: readonly Part[], names: readonly string[]): string {
  let place = 1
  const written = parts.map(({ name, columns, sql }) => {
    const table = tableOf(columns, place)
    place += Object.keys(columns).length
    return `${name} AS (WITH new AS MATERIALIZED (SELECT * FROM ${table}) ${sql})`
  })
  const count = names.map((name) => `(SELECT count(*) FROM ${name})`).join(' + ')
  const assigned = parts.flatMap(({ name, assigns }) => (assigns ? `(SELECT max(id) FROM ${name})` : []))
  // If they differ, the cast fails, because the text is not a number.
  return `WITH ${names.includes('orders_changed') ? '' : 'orders_changed AS (SELECT WHERE false),'} ${written.join(', ')},
    result AS (SELECT concat_ws(' ', ${[count, ...assigned]}) AS written)
    SELECT (CASE WHEN written <> $${place}::text THEN 'written: ' || written END)::bigint FROM result`
}

/** Each row is looked up by id and must have the status that was read. */
function update(table: string, names: readonly string[]): string {
  return `UPDATE ${table} SET ${names.map((name) => `${name} = new.${name}`)} FROM new
    WHERE ${table}.id = new.id AND ${table}.status = new.before AND ${table}.id = ANY (ARRAY(SELECT id FROM new))
    RETURNING ${table}.id`
}

function withStatusBefore<Row extends { status: string }>({ before, after }: Change<Row>) {
  return { ...after, before: before.status }
}

export function typeOf(kind: string): 'bigint' | 'text' {
  return ['integer', 'time'].includes(kind) ? 'bigint' : 'text'
}

/**
 * Returns a table named `new` for FROM, from the parameters that `arraysOf` returns, numbered from `place`. PostgreSQL
 * reads arrays faster than JSON rows. They can contain any text but U+0000.
 */
function tableOf(columns: AnyColumns, place: number): string {
  const all = Object.values(columns)
  const arrays = all.map(({ kind }, at) => `$${place + at}::text::${typeOf(kind)}[]`)
  return `unnest(${arrays}) AS new (${all.map(({ column }) => column)})`
}

/** Returns the text of an array for each column. Other fields of the rows are ignored. */
function arraysOf(columns: AnyColumns, rows: readonly object[]): string[] {
  return Object.entries(columns).map(
    ([field, { kind }]) => `{${rows.map((row) => element(row[field as never], typeOf(kind) === 'text'))}}`,
  )
}

function element(value: unknown, isText: boolean): string {
  if (value === undefined || value === null) return 'NULL'
  return isText ? `"${String(value).replace(/["\\]/g, '\\$&')}"` : String(value)
}
