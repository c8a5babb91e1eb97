// Query plans for pages in SQLite. sequences/ tests the rows of pages on both stores.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { orderFilter, petFilter } from '../../../../../test/support/lists.ts'
import { expectPages } from '../../../../../test/support/paging.ts'
import { ORDERS, PETS } from '../../../src/store/shared/lists.ts'
import { ORDER_COLUMNS, PET_COLUMNS } from '../../../src/store/shared/rows.ts'
import { type Read, Statements } from '../../../src/store/sqlite/connect/statements.ts'
import { pages, rowById } from '../../../src/store/sqlite/read/pages.ts'
import { MIGRATIONS } from '../../../src/store/sqlite/schema/schema.ts'
import { inventoryReader } from '../../../src/store/sqlite/store.ts'
import { commits, overdueFinder } from '../../../src/store/sqlite/write/commits.ts'

test('finds the first row of a page in the table or in an index', () => {
  expect(
    plans()
      .filter(isOfPage)
      .map((plan) => plan.replace('USING COVERING', 'USING')),
  ).toEqual([
    'SEARCH pets USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    'SEARCH orders USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    ...both('SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)'),
    ...both('SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)'),
    ...both('SEARCH pets USING INDEX pets_by_category (category_id=? AND rowid>?)'),
    // The first block, the next blocks, and the rows of each block.
    ...both(
      'SEARCH pets USING INDEX pets_by_category (category_id=? AND rowid>?)',
      'SEARCH pets USING INDEX pets_by_category (category_id=? AND rowid>?)',
      'SEARCH pets USING INDEX pets_by_category_in_blocks (<expr>=? AND category_id=? AND status=? AND rowid>?)',
    ),
    ...both('SEARCH orders USING INTEGER PRIMARY KEY (rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_status (status=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_that_hold (pet_id=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND rowid>?)'),
    // For each of several pets.
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_that_hold (pet_id=? AND rowid>?)'),
    ...both('SEARCH orders USING INDEX orders_by_pet (pet_id=? AND rowid>?)'),
  ])
})

test.each([PETS, ORDERS])('each filter of a list has an index', ({ filters, indexes }) => {
  const served: string[] = indexes.flatMap(({ filter, unique }) => (unique ? [] : filter))
  expect(served.sort()).toEqual(Object.keys(filters).sort())
})

test('no page sorts, or scans a table', () => {
  // Only the rows of a page and the blocks of ids are scanned. A page of several pets sorts the ids of its rows.
  for (const plan of plans().filter((plan) => !/^(SCAN row VIRTUAL|USE TEMP B-TREE FOR ORDER BY$)/.test(plan)))
    expect(plan).toMatch(
      /^(SEARCH (pets|orders) USING|CO-ROUTINE|SCAN \(subquery|(CORRELATED )?SCALAR SUBQUERY|COMPOUND QUERY|SETUP$|SCAN CONSTANT ROW$|RECURSIVE STEP$|SCAN block$|SCAN json_each )/,
    )
})

test('no statement makes SQLite plan it again for each execution', () => {
  const { sql } = prepared((statements) => {
    const never = () => Promise.reject(new Error())
    readPages(statements)
    return [
      commits(statements, never, { now: Date.now }),
      overdueFinder(statements, read, Date.now),
      inventoryReader(statements, read),
      rowById(statements, read, PETS, PET_COLUMNS),
      rowById(statements, read, ORDERS, ORDER_COLUMNS),
    ]
  })
  expect(sql.length).toBeGreaterThan(20)
  for (const text of sql) {
    expect(text).not.toMatch(/LIMIT \?/)
    if (/\b(status|pet_id|category_id) = \?/.test(text)) expect(text).not.toContain('ORDER BY')
  }
})

/** The first and last ids of blocks of 2,048, with empty blocks between them, up to the largest id. */
const IDS = [1n, 2n, 2_046n, 2_047n, 2_048n, 2_049n, 4_095n, 4_096n, 1_000_000n, 2n ** 51n, 2n ** 62n, 2n ** 63n - 1n]

test('finds pets of a category with a status in every block of ids, in both directions', async () => {
  const database = withPets(IDS, (n) => [n % 5 === 0 ? 8 : 7, n % 3 === 0 ? 'sold' : 'available'])
  const readPets = pages(new Statements({ database }), read, PETS)
  for (const categoryId of [7n, 8n, 9n])
    for (const status of [undefined, 'available', 'pending', 'sold'] as const)
      for (const limit of [1, 2, 5, 100])
        for (const sort of SORTS) {
          const expected = IDS.filter((_, n) => {
            const isOther = status !== undefined && (n % 3 === 0 ? 'sold' : 'available') !== status
            return !isOther && (n % 5 === 0 ? 8n : 7n) === categoryId
          })
          if (sort === 'newest') expected.reverse()
          const filter = { limit, sort, categoryId, status }
          await expectPages(expected, limit, (place) => readPets(petFilter({ ...filter, ...place })))
        }
})

const SORTS = ['oldest', 'newest'] as const
/** Reads immediately, so that all statements are prepared. */
const read: Read = async (work) => work()

/** Excludes the look-up of a pet's name for each order. */
const isOfPage = (plan: string) => plan.startsWith('SEARCH') && !plan.includes('(rowid=?)')

/**
 * The searches of a page above its position, and then the searches of a page below it. Each also looks at the other side.
 */
function both(...walks: string[]): string[] {
  const down = walks.map((walk) => walk.replace(/>\?\)$/, '<?)'))
  return [...walks, ...down, ...down, ...walks]
}

/**
 * Reads pages in both directions with every combination of filters, and with two statuses of orders, one of which
 * holds the pet.
 */
function readPages(statements: Statements): void {
  const [readPets, readOrders] = [pages(statements, read, PETS), pages(statements, read, ORDERS)]
  for (const filter of combinations(PETS.filters, ['sold']))
    for (const sort of SORTS) void readPets(petFilter({ limit: 1, sort, ...filter }))
  for (const filter of combinations(ORDERS.filters, ['pending', 'returned']))
    for (const sort of SORTS) void readOrders(orderFilter({ limit: 1, sort, ...filter }))
}

/** A new filter is included automatically, and needs its lines in the table above. */
function combinations(filters: object, statuses: readonly string[]): object[] {
  const values = (name: string) => (name === 'status' ? statuses : name === 'petIds' ? [[1n, 2n]] : [1n])
  const all = Object.keys(filters).reduce<{ petId?: unknown; petIds?: unknown }[]>(
    (all, name) => [undefined, ...values(name)].flatMap((value) => all.map((one) => ({ ...one, [name]: value }))),
    [{}],
  )
  return all.filter(({ petId, petIds }) => petId === undefined || petIds === undefined)
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

function withPets(ids: readonly bigint[], of: (n: number) => [categoryId: number, status: string]): Database {
  const database = new Database(':memory:', { safeIntegers: true })
  for (const migration of MIGRATIONS) database.run(migration)
  database.run(`INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', 0, 0)`)
  const add = 'INSERT INTO pets (id, name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, 0, 1)'
  for (const [n, id] of ids.entries()) database.run(add, [id, `pet ${n}`, ...of(n)])
  return database
}

/** The statements that `of` prepares, and a database with the schema. */
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
