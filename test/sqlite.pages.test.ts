// How SQLite finds what is on a page, and that it plans no statement at every execution. What a page holds is tested for both stores (store.conformance.ts, orders.conformance.ts).

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { ORDERS, PETS } from '../src/store/shared/lists.ts'
import { MIGRATIONS } from '../src/store/sqlite/connection.ts'
import { EventWriter } from '../src/store/sqlite/events.ts'
import { OrderChanges } from '../src/store/sqlite/order-changes.ts'
import { sqliteOrders } from '../src/store/sqlite/orders.ts'
import { pages } from '../src/store/sqlite/pages.ts'
import { PetChanges } from '../src/store/sqlite/pet-changes.ts'
import { sqlitePets } from '../src/store/sqlite/pets.ts'
import { reads, Statements } from '../src/store/sqlite/statements.ts'
import { writes } from '../src/store/sqlite/writes.ts'
import { orderFilter, petFilter } from './support/lists.ts'

test('a page begins behind its cursor, in the table or in an index', () => {
  expect(
    plans()
      .filter(isOfPage)
      .map((plan) => plan.replace('USING COVERING', 'USING')),
  ).toEqual([
    'SEARCH pets USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    'SEARCH orders USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    ...both('SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)'),
    ...both('SEARCH pets USING INDEX pets_by_status (status=? AND id>?)'),
    ...both(...Array(3).fill('SEARCH pets USING INDEX pets_by_category (category_id=? AND status=? AND id>?)')),
    ...both('SEARCH pets USING INDEX pets_by_category (category_id=? AND status=? AND id>?)'),
    ...both('SEARCH orders USING INTEGER PRIMARY KEY (rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_status (status=? AND id>?)'),
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND id>?)'),
    ...both('SEARCH orders USING INDEX orders_that_hold (pet_id=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND id>?)'),
  ])
})

test.each([PETS, ORDERS])('each filter of a list has an index', ({ filters, indexes }) => {
  const served: string[] = indexes.flatMap(({ filter, unique }) => (unique ? [] : filter))
  expect(served.sort()).toEqual(Object.keys(filters).sort())
})

test('no page sorts, or reads the whole table', () => {
  // The groups that are scanned are the rows of a page.
  for (const plan of plans())
    expect(plan).toMatch(
      /^(SEARCH (pets|orders) USING|CO-ROUTINE|SCAN \(subquery|(CORRELATED )?SCALAR SUBQUERY|COMPOUND QUERY|LEFT-MOST|UNION ALL|MERGE|LEFT|RIGHT|USE TEMP)/,
    )
})

test('no statement gives SQLite a reason to plan it at every execution', () => {
  const { sql } = prepared((statements) => {
    const never = () => Promise.reject(new Error())
    const read = reads(statements)
    const write = writes(statements, never, () => ({ data: 0, keys: 0 }), { now: Date.now })
    readPages(statements)
    const events = new EventWriter(statements)
    const orders = new OrderChanges(statements, events)
    const pets = new PetChanges(statements, orders, events)
    return [sqlitePets(statements, pets, read, write), sqliteOrders(statements, orders, read, write, { now: Date.now })]
  })
  expect(sql.length).toBeGreaterThan(20)
  for (const text of sql) {
    expect(text).not.toMatch(/LIMIT \?/)
    if (/\b(status|pet_id|category_id) = \?/.test(text)) expect(text).not.toContain('ORDER BY')
  }
})

const SORTS = ['oldest', 'newest'] as const

/** The name of a pet is read by its id for each order. */
const isOfPage = (plan: string) => plan.startsWith('SEARCH') && !plan.includes('(rowid=?)')

/** The walks of a page with the rows above its place, and then those of one with the rows up to it; each looks at the other side, too. */
function both(...walks: string[]): string[] {
  const down = walks.map((walk) => walk.replace(/>\?\)$/, '<?)'))
  return [...walks, ...down, ...down, ...walks]
}

/** In both directions, with each filter and without, and two statuses of orders of which one holds the pet. */
function readPages(statements: Statements): void {
  const [readPets, readOrders] = [pages(statements, PETS), pages(statements, ORDERS)]
  for (const filter of combinations(PETS.filters, ['sold']))
    for (const sort of SORTS) readPets(petFilter({ limit: 1, sort, ...filter }))
  for (const filter of combinations(ORDERS.filters, ['pending', 'returned']))
    for (const sort of SORTS) readOrders(orderFilter({ limit: 1, sort, ...filter }))
}

/** A filter that is added to its list is here at once, and asks for its lines in the table above. */
function combinations(filters: object, statuses: readonly string[]): object[] {
  return Object.keys(filters).reduce<object[]>(
    (all, name) =>
      [undefined, ...(name === 'status' ? statuses : [1n])].flatMap((value) =>
        all.map((one) => ({ ...one, [name]: value })),
      ),
    [{}],
  )
}

function plans(): string[] {
  const { database, sql } = prepared(readPages)
  return sql.flatMap((text) =>
    database
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  )
}

/** The statements that `of` prepares, on a database with the schema. */
function prepared(of: (statements: Statements) => unknown): { database: Database; sql: string[] } {
  const database = new Database(':memory:')
  for (const migration of MIGRATIONS) database.run(migration)
  const sql: string[] = []
  class Recorded extends Statements {
    override query: Statements['query'] = (text) => {
      sql.push(text)
      return super.query(text)
    }
  }
  of(new Recorded({ database }))
  return { database, sql }
}
