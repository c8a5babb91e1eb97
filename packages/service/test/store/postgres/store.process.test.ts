// The store of many machines: the promises of every store, and what is peculiar to PostgreSQL.

import { describe, expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { orderFilter, petFilter } from '../../../../../test/support/lists.ts'
import { idsOf } from '../../../../../test/support/paging.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import type { KeyId } from '../../../src/domain/keys.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import type { PetFilter } from '../../../src/domain/pets.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store, StoreOptions } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connection.ts'
import { postgresOrders } from '../../../src/store/postgres/orders.ts'
import { postgresPets } from '../../../src/store/postgres/pets.ts'
import { ORDERS, PETS } from '../../../src/store/shared/lists.ts'
import { exactTimes } from '../orders/exact-times.ts'
import { ordersConformance } from '../orders.conformance.ts'
import { conformance } from '../store.conformance.ts'

const openNew = async (options: StoreOptions) => openStore(await cluster.newStore(), options)
conformance('PostgreSQL', openNew)
ordersConformance('PostgreSQL', openNew)
exactTimes(async () => {
  const { store, by, name } = await storeWithKey()
  const setClock = (at: number) =>
    cluster.asAdmin(async (sql) => {
      await sql.unsafe(`CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${at}`)
    }, name)
  return { store, by, setClock }
})

describe('creates that arrive together', () => {
  test('commit together', async () => {
    const { store, by, name } = await storeWithKey()
    const transactions = () =>
      cluster.asAdmin(async (sql) => (await sql`SELECT count(DISTINCT xmin::text)::int FROM pets`)[0]?.count, name)
    await Promise.all(Array.from({ length: 64 }, () => store.createPet(PET, by)))
    expect(await transactions()).toBe(1)
    for (let n = 0; n < 3; n++) await store.createPet(PET, by)
    expect(await transactions()).toBe(4)
    await store.close()
  })

  test('succeed although others are refused: a text with U+0000, an unknown key, a number out of range', async () => {
    const { store, by } = await storeWithKey()
    const bad = [
      store.createPet({ ...PET, name: 'hunter2\0' }, by),
      store.createPet({ ...PET, name: 'hunter2' }, 999n),
      store.createPet({ ...PET, categoryId: 2n ** 63n }, by),
    ]
    const good = Array.from({ length: 5 }, (_, n) => store.createPet({ ...PET, name: `good ${n}` }, by))
    const settled = await Promise.allSettled([...bad, ...good])
    // What the server says of a bad row may hold the row, and an error may come into the log.
    expect(Bun.inspect(settled)).not.toContain('hunter2')
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill('rejected'), ...Array(5).fill('fulfilled')])
    const pets = petsOf(await store.listPets(petFilter({ limit: 10 })))
    expect(pets.map(({ name }) => name).sort()).toEqual(['good 0', 'good 1', 'good 2', 'good 3', 'good 4'])
    await store.close()
  })

  test('are committed durably, also when the database has synchronous_commit = off', async () => {
    const { by, name, store } = await storeWithKey()
    await store.close()
    await cluster.asAdmin(async (sql) => {
      await sql.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    })
    await cluster.asAdmin(
      (sql) =>
        sql.begin(async (transaction) => {
          expect((await transaction`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'off' })
          await transaction`INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 0, ${String(by)})`
          expect((await transaction`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'on' })
        }),
      name,
    )
  })
})

test('what the server refuses because of its state is unavailable, or full, and has not been created', async () => {
  const { store, by, name } = await storeWithKey()
  const refusal = async (sqlState: string) => {
    await cluster.asAdmin(
      (sql) =>
        sql.unsafe(`
          CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${sqlState}'; END $$;
          CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON pets FOR EACH STATEMENT EXECUTE FUNCTION refuse()`),
      name,
    )
    return rejectionOf(store.createPet(PET, by))
  }
  expect(await refusal('53100')).toMatchObject({ code: 'storage_full' })
  for (const sqlState of ['40001', '40P01', '53200', '53300', '55P03', '57014', '58030', 'XX001', 'XX002']) {
    const { code, message } = (await refusal(sqlState)) as PetstoreError
    expect([sqlState, code]).toEqual([sqlState, 'unavailable'])
    expect(message).not.toContain('may have been created')
  }
  // A fault of ours is none of these.
  expect(await refusal('22003')).not.toBeInstanceOf(PetstoreError)
  await store.close()
})

test('two servers add without a refusal, whatever isolation the operator has set for the database', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  for (const level of ['serializable', 'repeatable read']) {
    await cluster.asAdmin((sql) => sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`))
    const servers = await Promise.all([1, 2].map(() => openStore(address, { now })))
    const added = servers.flatMap((server) =>
      Array.from({ length: 50 }, async (_, n) => {
        for (let round = 0; round < 4; round++) await server.createPet(PET, by, `${level} ${n} ${round}`)
      }),
    )
    const settled = await Promise.allSettled(added)
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
    await Promise.all(servers.map((server) => server.close()))
  }
  const there = await cluster.asAdmin((sql) => sql`SELECT FROM pets`, name)
  expect(there.length).toBe(2 * 50 * 4)
})

test('one of two servers that create a key of the same name at the same time succeeds', async () => {
  const { address, store } = await storeWithKey()
  const servers = [store, await openStore(address, { now })]
  for (let round = 0; round < 10; round++) {
    const name = `till ${round}`
    const newestKnown = (await store.listKeys()).at(-1)?.id
    const create = (server: Store) => server.createKey({ ...newKey(), name, newestKnown })
    const outcomes = await Promise.allSettled(servers.flatMap((server) => [create(server), create(server)]))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  }
  await Promise.all(servers.map((server) => server.close()))
})

test('keeps texts that a collation could call equal apart, and in the order of their ids', async () => {
  const { store, by } = await storeWithKey()
  const names = ['b', 'B', 'a', 'A', 'é', 'e\u0301', ' a', 'a ', '\u{1F436}', 'ß', 'ss']
  for (const name of names) await store.createPet({ ...PET, name }, by)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 }))).map(({ name }) => name)).toEqual(names)
  await store.close()
})

test('two servers that get one idempotency key at the same time add one pet', async () => {
  const { address, store, by } = await storeWithKey()
  const other = await openStore(address, { now })
  const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`)
  const added = await Promise.all(keys.flatMap((key) => [store, other].map((each) => each.createPet(PET, by, key))))
  expect(new Set(added.map(({ value }) => value.id)).size).toBe(keys.length)
  expect(added.filter(({ replayed }) => replayed).length).toBe(keys.length)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 }))).length).toBe(keys.length)
  await store.close()
  await other.close()
})

/** The database's clock decides: two days and a bit ago. */
const OVER = `petstore_now() - 2 * 86400000 - 60000`

test.each(['creates', 'orders'])(
  'forgets idempotency keys after two days, also where there are only %s',
  async (what) => {
    const { address, store, by, name } = await storeWithKey()
    const pet = (await store.createPet(PET, by, 'a')).value
    for (const key of ['b', 'c']) await store.createPet(PET, by, key)
    await store.close()
    const date = (key: string, at: string) =>
      cluster.asAdmin(
        (sql) => sql.unsafe(`UPDATE idempotency_answers SET created_at = ${at} WHERE key = '${key}'`),
        name,
      )
    await date('a', OVER)
    await date('b', OVER)
    await date('c', 'petstore_now() - 86400000')
    // No server's clock has a say.
    const other = await openStore(address, { now: () => 0 })
    if (what === 'creates') await other.createPet(PET, by, 'd')
    else await other.placeOrder({ petId: pet.id }, by, 'd')
    const kept = () =>
      cluster.asAdmin(
        async (sql) => Array.from(await sql`SELECT key FROM idempotency_answers ORDER BY key`, ({ key }) => key),
        name,
      )
    while ((await kept()).length > 2) await Bun.sleep(10)
    expect(await kept()).toEqual(['c', 'd'])
    await other.close()
  },
)

test('forgets idempotency keys, however many, although a wrong clock dated others later', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const keep = (prefix: string, count: number, at: string) =>
    cluster.asAdmin(
      (sql) =>
        sql.unsafe(`INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
          SELECT ${by}, '${prefix}' || n, 'createPet', '{}', '{}', ${at} FROM generate_series(1, ${count}) AS n`),
      name,
    )
  await keep('later', 100, 'petstore_now() + 365 * 86400000::bigint')
  await keep('over', 12_000, OVER)
  const other = await openStore(address, { now })
  const kept = () =>
    cluster.asAdmin(async (sql) => (await sql`SELECT count(*)::int AS n FROM idempotency_answers`)[0]?.n, name)
  while ((await kept()) > 100) {
    await other.createPet(PET, by)
    await Bun.sleep(10)
  }
  expect(await kept()).toBe(100)
  await other.close()
})

test('a server whose clock is wrong neither forgets the idempotency keys of another nor takes them as unused', async () => {
  const { address, store, by, name } = await storeWithKey()
  const { value: pet } = await store.createPet(PET, by, 'k')
  const DAY_MS = 86_400_000
  for (const days of [1.05, 400, -400]) {
    const wrong = await openStore(address, { now: () => Date.now() + days * DAY_MS })
    await wrong.createPet(PET, by)
    const { value: its } = await wrong.createPet(PET, by, `its ${days}`)
    // Forgetting goes on behind the answers: it has ended when the store is closed.
    await wrong.close()
    const right = await openStore(address, { now: Date.now })
    await right.createPet(PET, by)
    await right.close()
    for (const server of [store, await openStore(address, { now: () => Date.now() + days * DAY_MS })]) {
      expect(await server.createPet(PET, by, 'k')).toEqual({ value: pet, replayed: true })
      expect(await server.createPet(PET, by, `its ${days}`)).toEqual({ value: its, replayed: true })
      if (server !== store) await server.close()
    }
  }
  const ages = await cluster.asAdmin(
    (sql) => sql`SELECT abs(created_at - petstore_now()) < 600000 AS recent FROM pets`,
    name,
  )
  expect(ages.every(({ recent }) => recent)).toBe(true)
  await store.close()
})

describe('with many rows', () => {
  /** How many rows of the tables were read by the time that a store had done `calls`, each a scan at least. */
  async function rowsRead(
    fill: string,
    calls: ((store: Store, by: KeyId) => Promise<unknown>)[],
    tables = ['pets', 'orders'],
    analyze = 'ANALYZE',
  ): Promise<number> {
    const { address, store, by, name } = await storeWithKey()
    await store.close()
    await cluster.asAdmin((sql) => sql.unsafe(`${fill}; ${analyze}; SELECT pg_stat_force_next_flush()`), name)
    const counts = () =>
      cluster.asAdmin(async (sql) => {
        const [row] =
          await sql`SELECT sum(seq_scan + idx_scan)::int AS scans, sum(seq_tup_read + idx_tup_fetch)::int AS rows
                                FROM pg_stat_user_tables WHERE relname = ANY (${tables})`
        return row as unknown as { scans: number; rows: number }
      }, name)
    const before = await counts()
    const filled = await openStore(address, { now })
    for (const call of calls) await call(filled, by)
    await filled.close()
    let after = await counts()
    while (after.scans < before.scans + calls.length) after = await counts()
    return after.rows - before.rows
  }

  test('each index of a list is there', async () => {
    const { store, name: database } = await storeWithKey()
    await store.close()
    const found = await cluster.asAdmin(
      (sql) => sql`
        SELECT indexrelid::regclass::text AS name, indisunique AS unique, string_agg(attname, ',' ORDER BY attnum) AS columns
        FROM pg_index JOIN pg_attribute ON attrelid = indexrelid GROUP BY 1, 2`,
      database,
    )
    for (const { filters, indexes } of [PETS, ORDERS]) {
      const columnOf = new Map(Object.entries(filters))
      for (const { name, filter, second, unique } of indexes) {
        const narrowed = [filter, ...(second ? [second.filter] : [])].map((one) => columnOf.get(one)?.column)
        const columns = [...narrowed, ...(unique ? [] : ['id'])].join()
        expect(found.map((one) => ({ ...one }))).toContainEqual({ name, unique: unique !== undefined, columns })
      }
    }
  })

  test('a page with filters reads its own rows, however many others are older', async () => {
    // The newest tenth is what shops ask for; of the rest there is something of everything.
    const newest = 'n > 18000'
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', 1, CASE WHEN ${newest} THEN 'available' ELSE (ARRAY['sold', 'pending'])[1 + n % 2] END, 1, 1
      FROM generate_series(1, 20000) AS n;
      INSERT INTO orders (pet_id, status, placed_at, changed_at)
      SELECT CASE WHEN ${newest} THEN 1 ELSE n END,
             CASE WHEN ${newest} THEN 'expired' ELSE (ARRAY['returned', 'cancelled', 'completed'])[1 + n % 3] END, 1, 1
      FROM generate_series(1, 20000) AS n`
    const filter = { limit: 5, after: 10n }
    const rows = await rowsRead(fill, [
      async (store) => expect((await store.listPets(petFilter({ ...filter, status: 'available' }))).next).toBe(18_005n),
      async (store) =>
        expect((await store.listOrders(orderFilter({ ...filter, status: 'expired' }))).next).toBe(18_005n),
      async (store) => expect((await store.listOrders(orderFilter({ ...filter, petId: 1n }))).next).toBe(18_005n),
    ])
    expect(rows).toBeLessThan(1_000)
  })

  test('so does a page with a category, with any status and in either direction', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', CASE WHEN n % 2000 = 0 THEN 7 ELSE 1 + n % 3 END, (ARRAY['sold', 'pending'])[1 + n % 2], 1, 1
      FROM generate_series(1, 20000) AS n`
    const listed = async (store: Store, place: Partial<PetFilter>) =>
      idsOf(await store.listPets(petFilter({ limit: 3, ...place })))
    const newest = { sort: 'newest', after: 15_000n } as const
    const rows = await rowsRead(fill, [
      async (store) => expect(await listed(store, { categoryId: 7n })).toEqual([2_000n, 4_000n, 6_000n]),
      async (store) => expect(await listed(store, { categoryId: 7n, status: 'pending' })).toEqual([]),
      async (store) => expect(await listed(store, { categoryId: 7n, ...newest })).toEqual([14_000n, 12_000n, 10_000n]),
      async (store) =>
        expect(await listed(store, { categoryId: 7n, ...newest, back: true })).toEqual([20_000n, 18_000n, 16_000n]),
      async (store) => expect(await listed(store, { status: 'sold', ...newest })).toEqual([15_000n, 14_998n, 14_996n]),
      async (store) => expect(await listed(store, newest)).toEqual([15_000n, 14_999n, 14_998n]),
      async (store) => expect(await listed(store, { after: 19_000n, back: true })).toEqual([18_998n, 18_999n, 19_000n]),
    ])
    expect(rows).toBeLessThan(1_000)
  })

  test('the order that holds a pet is found at once, however many orders the pet had', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 1, 'sold', 1, 1);
      INSERT INTO orders (pet_id, status, placed_at, changed_at)
      SELECT 1, CASE n WHEN 20000 THEN 'completed' ELSE 'cancelled' END, 1, 1 FROM generate_series(1, 20000) AS n`
    const listed = async (store: Store, status: OrderStatus) =>
      (await store.listOrders(orderFilter({ limit: 2, petId: 1n, status }))).json.match(/"id":\d+/g)
    const rows = await rowsRead(fill, [
      async (store) => expect(await listed(store, 'pending')).toBeNull(),
      async (store) => expect(await listed(store, 'completed')).toEqual(['"id":20000']),
    ])
    expect(rows).toBeLessThan(10)
  })

  test('a page without a filter, and one of pets with a status, is planned a few times, not at every execution', async () => {
    const { address, store, by, name } = await storeWithKey()
    await store.close()
    await cluster.asAdmin(
      (sql) =>
        sql.unsafe(`
          INSERT INTO pets (name, category_id, status, created_at, created_by)
          SELECT 'Rex', 1, 'sold', 1, ${by} FROM generate_series(1, 20000);
          INSERT INTO orders (pet_id, status, placed_at, changed_at)
          SELECT n, 'completed', 1, 1 FROM generate_series(1, 20000) AS n;
          ANALYZE`),
      name,
    )
    // What a session has prepared is seen in that session only.
    const connection = await PrimaryConnection.open({ ...parsePostgresAddress(address), connections: 1 })
    const { listPets } = postgresPets(connection, { now })
    const { listOrders } = postgresOrders(connection.read)
    for (let after = 100n; after < 112n; after++) {
      const page = { limit: 20, after }
      await listPets(petFilter(page))
      await listPets(petFilter({ ...page, status: 'sold' }))
      await listOrders(orderFilter(page))
    }
    const plans = await connection.read<{ custom: bigint; generic: bigint }>(
      'SELECT custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements WHERE statement LIKE $1',
      '%LIMIT 21%',
    )
    // PostgreSQL makes a plan for the values of the parameters five times before it decides.
    expect(plans).toMatchObject(Array(3).fill({ custom: 5n, generic: 7n }))
    await connection.close()
  })

  test('no rows are read to find that no reservation is overdue', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', 1, 'pending', 1, 1 FROM generate_series(1, 5000);
      INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
      SELECT n, 'pending', petstore_now() + 86400000, 1, 1 FROM generate_series(1, 5000) AS n`
    const rows = await rowsRead(fill, [async (store) => expect(await store.expireOrders(500)).toEqual([])])
    expect(rows).toBeLessThan(10)
  })

  test('a sweep reads the reservations that it expires, however many end at once', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', 1, 'pending', 1, 1 FROM generate_series(1, 20000);
      INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
      SELECT n, 'pending', 2, 1, 1 FROM generate_series(1, 20000) AS n`
    const sweep = async (store: Store) => expect(await store.expireOrders(50)).toHaveLength(50)
    // The statistics are those of before: they know of no reservation.
    const rows = await rowsRead(fill, [sweep, sweep], undefined, '')
    expect(rows).toBeLessThan(1_500)
  })

  test('the API keys of a batch are looked up by themselves, also by a plan from when there were few', async () => {
    const { store, by, name } = await storeWithKey()
    const write = async () => {
      const { value: pet } = await store.createPet(PET, by)
      await store.placeOrder({ petId: pet.id }, by).catch(() => {})
    }
    for (let n = 0; n < 8; n++) await write()
    const counts = () =>
      cluster.asAdmin(async (sql) => {
        const [row] = await sql`SELECT (seq_scan + idx_scan)::int AS scans, (seq_tup_read + idx_tup_fetch)::int AS rows
                                FROM pg_stat_user_tables WHERE relname = 'keys'`
        return row as unknown as { scans: number; rows: number }
      }, name)
    await cluster.asAdmin(
      (sql) =>
        sql`INSERT INTO keys (name, hash, read_only, created_at) SELECT 'k', n, false, 0 FROM generate_series(1, 20000) AS n`,
      name,
    )
    for (let n = 0; n < 20; n++) await write()
    await store.close()
    // What a connection has read is counted when it has ended. Each write looks at its key.
    let read = await counts()
    for (; read.scans < 2 * 28; read = await counts()) await Bun.sleep(20)
    expect(read.rows).toBeLessThan(1_000)
  })

  test('an idempotency key is looked up by itself, also by a plan from when there were none', async () => {
    const batch = async (store: Store, by: KeyId) => {
      const keys = Array.from({ length: 32 }, () => crypto.randomUUID())
      const added = await Promise.all(keys.map((key) => store.createPet(PET, by, key)))
      await Promise.all(added.map(({ value }) => store.placeOrder({ petId: value.id }, by, `order of ${value.id}`)))
    }
    const rows = await rowsRead('', Array(10).fill(batch), ['idempotency_answers'])
    // Of 640 requests none finds a row; those that forget keys may read some.
    expect(rows).toBeLessThan(640)
  })
})
