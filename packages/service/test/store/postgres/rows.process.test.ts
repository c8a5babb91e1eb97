// How many rows PostgreSQL reads for a response, and how often it plans a statement.

import { describe, expect, test } from 'bun:test'
import { eventFilter } from '../../../../../test/support/events.ts'
import { orderFilter, petFilter } from '../../../../../test/support/lists.ts'
import { idsOf } from '../../../../../test/support/paging.ts'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { until } from '../../../../../test/support/until.ts'
import type { KeyId } from '../../../src/domain/keys.ts'
import type { Page } from '../../../src/domain/lists.ts'
import type { OrderFilter, OrderStatus } from '../../../src/domain/orders.ts'
import type { PetFilter } from '../../../src/domain/pets.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { pages, postgresEvents } from '../../../src/store/postgres/read/pages.ts'
import { ORDERS, PETS } from '../../../src/store/shared/lists.ts'

async function readsOf(database: string, tables: readonly string[]): Promise<{ scans: number; rows: number }> {
  const [row] = await cluster.run(
    `SELECT sum(seq_scan + idx_scan)::int AS scans, sum(seq_tup_read + idx_tup_fetch)::int AS rows
       FROM pg_stat_user_tables WHERE relname IN ('${tables.join("', '")}')`,
    database,
  )
  return row as { scans: number; rows: number }
}

type Call = (store: Store, by: KeyId) => Promise<unknown>

describe('with many rows', () => {
  /** What a store read for `calls`. Each call needs at least one scan. */
  async function readsFor(fill: string, calls: Call[], tables = ['pets', 'orders'], analyze = 'ANALYZE') {
    const { address, store, by, name } = await storeWithKey()
    await store.close()
    await cluster.run(`${fill}; ${analyze}; SELECT pg_stat_force_next_flush()`, name)
    const before = await readsOf(name, tables)
    const filled = await openStore(address, { now })
    for (const call of calls) await call(filled, by)
    await filled.close()
    const after = await until('the reads are counted', async () => {
      const after = await readsOf(name, tables)
      return after.scans >= before.scans + calls.length && after
    })
    return { name, rows: after.rows - before.rows, scans: after.scans - before.scans }
  }

  test('a page with filters reads only its own rows, in either direction, even if many other rows are older', async () => {
    // The newest tenth matches the filters, and the rest has a mix of everything else.
    const newest = 'n > 18000'
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', CASE WHEN n % 2000 = 0 THEN 7 ELSE 1 + n % 3 END,
             CASE WHEN ${newest} THEN 'available' ELSE (ARRAY['sold', 'pending'])[1 + n % 2] END, 1, 1
      FROM generate_series(1, 20000) AS n;
      INSERT INTO orders (pet_id, status, placed_at, changed_at)
      SELECT CASE WHEN ${newest} THEN 1 ELSE n END,
             CASE WHEN ${newest} THEN 'expired' ELSE (ARRAY['returned', 'cancelled', 'completed'])[1 + n % 3] END, 1, 1
      FROM generate_series(1, 20000) AS n`
    const pets =
      (filter: Partial<PetFilter>, ...ids: bigint[]): Call =>
      async (store) =>
        expect(idsOf(await store.listPets(petFilter({ limit: 3, ...filter })))).toEqual(ids)
    const orders =
      (filter: Partial<OrderFilter>): Call =>
      async (store) =>
        expect(idsOf(await store.listOrders(orderFilter({ limit: 3, after: 10n, ...filter })))).toEqual(FIRST)
    const FIRST = [18_001n, 18_002n, 18_003n]
    const down = { sort: 'newest', after: 15_000n } as const
    const { rows } = await readsFor(fill, [
      orders({ status: 'expired' }),
      orders({ petId: 1n }),
      orders({ petIds: [2n, 1n] }),
      pets({ after: 10n, status: 'available' }, ...FIRST),
      pets({ categoryId: 7n }, 2_000n, 4_000n, 6_000n),
      pets({ categoryId: 7n, status: 'pending' }),
      pets({ categoryId: 7n, ...down }, 14_000n, 12_000n, 10_000n),
      pets({ categoryId: 7n, ...down, back: true }, 20_000n, 18_000n, 16_000n),
      pets({ status: 'sold', ...down }, 15_000n, 14_998n, 14_996n),
      pets(down, 15_000n, 14_999n, 14_998n),
      pets({ after: 19_000n, back: true }, 18_998n, 18_999n, 19_000n),
    ])
    expect(rows).toBeLessThan(1_000)
  })

  test.each(['petId', 'petIds'])(
    'with many rows finds the order that holds a pet by its %s without reading its other orders',
    async (name) => {
      const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 1, 'sold', 1, 1);
      INSERT INTO orders (pet_id, status, placed_at, changed_at)
      SELECT 1, CASE n WHEN 20000 THEN 'completed' ELSE 'cancelled' END, 1, 1 FROM generate_series(1, 20000) AS n`
      const listed = async (store: Store, status: OrderStatus) =>
        (await store.listOrders(orderFilter({ limit: 2, [name]: name === 'petId' ? 1n : [1n], status }))).json.match(
          /"id":\d+/g,
        )
      const { rows } = await readsFor(fill, [
        async (store) => expect(await listed(store, 'pending')).toBeNull(),
        async (store) => expect(await listed(store, 'completed')).toEqual(['"id":20000']),
      ])
      expect(rows).toBeLessThan(10)
    },
  )

  test.each([
    ['before ANALYZE', '', ''],
    ['after ANALYZE', '', 'ANALYZE'],
    ['with old statistics', 'ANALYZE', ''],
  ])('a search or the feed of a pet with a type looks up few rows one by one, %s', async (_, before, after) => {
    // The words far, many and all match the oldest tenth, more than half and all of the pets.
    const fill = `${before};
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT concat('all', CASE WHEN n <= 22000 THEN ' many' END, CASE WHEN n <= 4000 THEN ' far' END), 1,
             CASE WHEN n <= 22000 THEN 'available' ELSE 'pending' END, 1, 1
      FROM generate_series(1, 40000) AS n;
      INSERT INTO search_pets SELECT id, array_to_tsvector(string_to_array(name, ' ')) FROM pets;
      INSERT INTO events (type, at, pet_id) SELECT 'pet.added', 1, n FROM generate_series(1, 40000) AS n`
    const search =
      (search: string, filter: Partial<PetFilter>, ...ids: bigint[]): Call =>
      async (store) =>
        expect(idsOf(await store.listPets(petFilter({ limit: 2, sort: 'newest', search, ...filter })))).toEqual(ids)
    const feed: Call = async (store) =>
      expect((await store.listEvents(eventFilter(undefined, { petId: 7n, type: ['pet.added'] }))).count).toBe(1)
    const calls = [
      search('far', {}, 4_000n, 3_999n),
      search('far', { status: 'pending' }),
      search('many', {}, 22_000n, 21_999n),
      search('many', { status: 'pending' }),
      search('all many', { after: 30_000n }, 22_000n, 21_999n),
      feed,
    ]
    const { name, scans } = await readsFor(fill, calls, ['pets', 'search_pets', 'events'], after)
    // Each search looks up a thousand rows of the list, and then rows of `far` only.
    expect(scans).toBeLessThan(20_000)
    const [events] = await cluster.run(
      `SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'events_by_type'`,
      name,
    )
    expect(events?.read).toBe(0)
  })

  test('a page is planned a few times per list and not for each execution', async () => {
    const { address, store, by, name } = await storeWithKey()
    await store.close()
    await cluster.run(
      `
          INSERT INTO pets (name, category_id, status, created_at, created_by)
          SELECT 'Rex', 1, 'sold', 1, ${by} FROM generate_series(1, 20000);
          INSERT INTO orders (pet_id, status, placed_at, changed_at)
          SELECT n, 'completed', 1, 1 FROM generate_series(1, 20000) AS n;
          INSERT INTO events (type, at, key_id, pet_id, pet_status, pet)
          SELECT 'pet.added', 1, ${by}, n, 'sold', '{"name":"Rex","categoryId":1}' FROM generate_series(1, 20000) AS n;
          ANALYZE`,
      name,
    )
    // Prepared statements are visible in their own session only.
    const connection = await PrimaryConnection.open({ ...parsePostgresAddress(address), connections: 1 })
    const [listPets, listOrders] = [pages(connection.read, PETS), pages(connection.read, ORDERS)]
    const { listEvents } = postgresEvents(connection)
    for (let after = 100n; after < 140n; after++) {
      // Every third limit up to 100.
      const limit = 1 + (Number(after) % 34) * 3
      const shown = async (page: Promise<Page>) => expect(idsOf(await page)).toHaveLength(limit)
      await shown(listPets(petFilter({ limit, after })))
      await shown(listPets(petFilter({ limit, after, status: 'sold' })))
      await shown(listOrders(orderFilter({ limit, after })))
      expect(await listEvents(eventFilter(undefined, { limit }))).toMatchObject({ count: limit })
      expect(await listEvents(eventFilter(undefined, { limit, type: ['pet.added', 'pet.deleted'] }))).toMatchObject({
        count: limit,
      })
    }
    const plans = await connection.read<{ custom: bigint; generic: bigint }>(
      `SELECT custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements WHERE statement LIKE $1`,
      '%LIMIT%',
    )
    // PostgreSQL makes five custom plans before it decides for a generic plan.
    expect(plans).toMatchObject(Array(2 * 5).fill({ custom: 5n }))
    await connection.close()
  })

  test('a connection keeps the 300 most recently used statements prepared', async () => {
    const { address } = await storeWithKey()
    const connection = await PrimaryConnection.open({ ...parsePostgresAddress(address), connections: 1 })
    const kind = async (n: number) =>
      expect(await connection.read(`SELECT ${n} + $1::int AS n`, 1)).toEqual([{ n: n + 1 }])
    const kept = 'SELECT statement FROM pg_prepared_statements WHERE statement LIKE $1'
    const prepared = () => connection.read<{ statement: string }>(kept, '%AS n)%')
    for (let n = 1; n <= 400; n++) {
      await kind(0)
      await kind(n)
    }
    const statements = await prepared()
    expect(statements).toHaveLength(299)
    expect(statements.filter(({ statement }) => statement.includes('SELECT 0 +'))).toHaveLength(1)
    // These statements were deallocated.
    for (let n = 1; n <= 10; n++) await kind(n)
    expect(await prepared()).toHaveLength(299)
    await connection.close()
  })

  test('a sweep reads only the reservations that it expires, even if many end together', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', 1, 'pending', 1, 1 FROM generate_series(1, 20000);
      INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
      SELECT n, 'pending', 2, 1, 1 FROM generate_series(1, 20000) AS n`
    const sweep = async (store: Store) => expect(await store.expireOrders(50)).toHaveLength(50)
    // The statistics were collected before, and show no reservations.
    const { rows } = await readsFor(fill, [sweep, sweep], undefined, '')
    expect(rows).toBeLessThan(1_500)
  })

  test('looks up only the API keys of a batch, even with a plan from when there were few keys', async () => {
    const { store, by, name } = await storeWithKey()
    const write = async () => {
      const { value: pet } = await store.createPet(PET, by)
      await store.placeOrder({ petId: pet.id }, by).catch(() => {})
    }
    for (let n = 0; n < 8; n++) await write()
    const counts = () => readsOf(name, ['keys'])
    const many = `SELECT 'k', n, false, 0 FROM generate_series(1, 20000) AS n`
    await cluster.run(`INSERT INTO keys (name, hash, read_only, created_at) ${many}`, name)
    for (let n = 0; n < 20; n++) await write()
    await store.close()
    // Reads of a connection are counted when it ends. Each write looks up its key.
    const read = await until('28 writes are counted', async () => {
      const read = await counts()
      return read.scans >= 2 * 28 && read
    })
    expect(read.rows).toBeLessThan(1_000)
  })

  test('looks up only the idempotency keys of a batch, even with a plan from when there were none', async () => {
    const batch = async (store: Store, by: KeyId) => {
      const keys = Array.from({ length: 32 }, () => crypto.randomUUID())
      const added = await Promise.all(keys.map((key) => store.createPet(PET, by, key)))
      await Promise.all(added.map(({ value }) => store.placeOrder({ petId: value.id }, by, `order of ${value.id}`)))
    }
    const { rows } = await readsFor('', Array(10).fill(batch), ['idempotency_answers'])
    // No look-up of the 640 requests finds a row. Only the deletion of expired keys can read some.
    expect(rows).toBeLessThan(640)
  })
})
