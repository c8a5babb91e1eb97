// The store of many machines: the promises of every store, and what is peculiar to PostgreSQL.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { StartError } from '../src/domain/errors.ts'
import { generateKey, hashKey, type KeyId } from '../src/domain/keys.ts'
import type { OrderStatus } from '../src/domain/orders.ts'
import type { Store, StoreOptions } from '../src/domain/store.ts'
import { openStore } from '../src/store/kinds.ts'
import { ordersConformance } from './orders.conformance.ts'
import { conformance } from './store.conformance.ts'
import { newPet, petsOf } from './support/pets.ts'
import { sharedCluster } from './support/postgres.ts'

const cluster = await sharedCluster()

const openNew = async (options: StoreOptions) => openStore(await cluster.newDatabase(), options)
conformance('PostgreSQL', openNew)
ordersConformance('PostgreSQL', openNew)

const PET = newPet()
const now = () => 1_234
const newKey = () => ({ name: 'k', hash: hashKey(generateKey('production')), readOnly: false, expiresAt: undefined })

async function storeWithKey(address?: string) {
  const database = address ?? (await cluster.newDatabase())
  const store = await openStore(database, { now })
  const { id } = await store.createKey(newKey())
  return { address: database, store, by: id, name: nameOf(database) }
}

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

  test('harm no other where one is bad: a text with U+0000, a key that is not there, a number out of range', async () => {
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
    const pets = petsOf(await store.listPets({ limit: 10 }))
    expect(pets.map(({ name }) => name).sort()).toEqual(['good 0', 'good 1', 'good 2', 'good 3', 'good 4'])
    await store.close()
  })

  test('are committed durably, also where the database was told otherwise', async () => {
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

test('of two servers that create a key of one name at once, one does', async () => {
  const { address, store, by } = await storeWithKey()
  const servers = [store, await openStore(address, { now })]
  for (let round = 0; round < 10; round++) {
    const name = `till ${round}`
    const newestKnown = (await store.listKeys()).at(-1)?.id
    const create = (server: Store) => server.createKey({ ...newKey(), name, newestKnown })
    const rotate = (server: Store) => server.rotateKey(by, { ...newKey(), name, newestKnown }, 9_000_000_000_000)
    const outcomes = await Promise.allSettled(servers.flatMap((server) => [create(server), rotate(server)]))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  }
  await Promise.all(servers.map((server) => server.close()))
})

test('keeps the texts that a collation would take for the same apart, and in the order of their ids', async () => {
  const { store, by } = await storeWithKey()
  const names = ['b', 'B', 'a', 'A', 'é', 'e\u0301', ' a', 'a ', '\u{1F436}', 'ß', 'ss']
  for (const name of names) await store.createPet({ ...PET, name }, by)
  expect(petsOf(await store.listPets({ limit: 100 })).map(({ name }) => name)).toEqual(names)
  await store.close()
})

describe('a start refuses', () => {
  const SECRET = 'hunter2%2F'
  const refusals: [string, () => Promise<string> | string, RegExp][] = [
    [
      'a database that is not there',
      () => cluster.address('nowhere').replace('postgres@', `postgres:${SECRET}@`),
      /no such database/,
    ],
    [
      'a server that is not there',
      () => `postgres://u:${SECRET}@127.0.0.1:1/pets`,
      /127\.0\.0\.1:1.*cannot be reached/,
    ],
    ['a name that leads nowhere', () => `postgres://u:${SECRET}@petstore.invalid/pets`, /cannot be reached/],
    [
      'a user that is not there',
      () => cluster.address('postgres').replace('postgres@', `nobody:${SECRET}@`),
      /user or password/,
    ],
    [
      'a database with another encoding',
      () => databaseWith(`ENCODING 'SQL_ASCII' TEMPLATE template0`),
      /encoding is SQL_ASCII/,
    ],
    ['tables of another program', () => databaseWith('', 'CREATE TABLE pets (id int)'), /another program/],
    ['a schema that is newer', () => newerDatabase(), /newer petstore/],
    [
      'a user that sees no schema to make tables in',
      () => databaseFor('schemaless', `REVOKE ALL ON SCHEMA public FROM PUBLIC`),
      /this user lacks privileges.*migrate --apply/,
    ],
    [
      'a user without rights on the tables',
      async () => {
        const { store, name, address } = await storeWithKey()
        await store.close()
        const statement = 'CREATE ROLE rightless LOGIN; GRANT SELECT ON petstore_schema, pets, keys TO rightless'
        await cluster.asAdmin((sql) => sql.unsafe(statement), name)
        return address.replace('postgres@', 'rightless@')
      },
      /lacks privileges \(INSERT ON pets, UPDATE \(status\) ON pets, SELECT ON orders,.*see docs/,
    ],
    ['a certificate that cannot be asked for', () => `${cluster.address('postgres')}?sslmode=verify-full`, /cannot be/],
  ]
  for (const [what, address, sentence] of refusals) {
    test(what, async () => {
      const error = await openStore(await address(), { now }).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(StartError)
      expect(error.message).toMatch(sentence)
      expect(error.message).not.toContain('hunter2')
    })
  }

  async function databaseWith(options: string, statement = 'SELECT 1'): Promise<string> {
    const name = `refused${++refused}`
    await cluster.asAdmin((sql) => sql.unsafe(`CREATE DATABASE ${name} ${options}`))
    await cluster.asAdmin((sql) => sql.unsafe(statement), name)
    return cluster.address(name)
  }
  let refused = 0

  async function databaseFor(role: string, statement: string): Promise<string> {
    const address = await databaseWith('', `CREATE ROLE ${role} LOGIN; ${statement}`)
    return address.replace('postgres@', `${role}@`)
  }

  async function newerDatabase(): Promise<string> {
    const { address, store, name } = await storeWithKey()
    await store.close()
    await cluster.asAdmin((sql) => sql`UPDATE petstore_schema SET version = 1000`, name)
    return address
  }
})

describe('with the rights of docs/postgresql.md', () => {
  test('a server serves, and leaves migrations to the owner', async () => {
    const { address, store, name } = await storeWithKey()
    await store.close()
    const role = `server_of_${name}`
    const documented = readFileSync(`${import.meta.dir}/../docs/postgresql.md`, 'utf8')
    const grants = documented.match(/^GRANT (?!CONNECT).* TO petstore;$/gm) ?? []
    await cluster.asAdmin(
      (sql) =>
        sql.unsafe([`CREATE ROLE ${role} LOGIN;`, ...grants].join('\n').replaceAll(' TO petstore;', ` TO ${role};`)),
      name,
    )
    const limited = await openStore(address.replace('postgres@', `${role}@`), { now })
    expect(await limited.createFirstKey(newKey())).toBeUndefined()
    const { id: by } = await limited.createKey(newKey())
    const { value: pet } = await limited.createPet(PET, by)
    expect(petsOf(await limited.listPets({ limit: 1 }))).toEqual([pet])
    await limited.saveKeyUses([{ keyId: by, ending: 'aB12', at: 1 }])
    const expiresAt = Date.now() + 300
    const { value: overdue } = await limited.placeOrder({ petId: pet.id, expiresAt }, by, 'a')
    while ((await limited.expireOrders(10)).length === 0) await Bun.sleep(10)
    expect(await limited.getOrder(overdue.id)).toMatchObject({ status: 'expired' })
    const { value: order } = await limited.placeOrder({ petId: pet.id }, by, 'b')
    await limited.completeOrder(order.id, by)
    expect(await limited.returnOrder(order.id, by)).toMatchObject({ status: 'returned' })
    expect(await limited.getInventory()).toEqual({ available: 1n, pending: 0n, sold: 0n })
    await limited.countDeprecatedCalls([{ keyId: by, operationId: 'getPet', calls: 1, lastAt: 1 }])
    await limited.revokeKey(by)
    await limited.close()
    await cluster.asAdmin((sql) => sql`UPDATE petstore_schema SET version = 0`, name)
    const error = await openStore(address.replace('postgres@', `${role}@`), { now }).catch((thrown) => thrown)
    expect(error.message).toMatch(/petstore migrate --apply/)
  })
})

test('a start names each right that a server needs and has not', async () => {
  const { store, name, address } = await storeWithKey()
  await store.close()
  const role = `lacking_${name}`
  const documented = readFileSync(`${import.meta.dir}/../docs/postgresql.md`, 'utf8')
  const granted = [...documented.matchAll(/^GRANT (.*) ON (\w+(?:, \w+)*) TO petstore;$/gm)]
    .flatMap(([, rights, tables]) =>
      (tables as string)
        .split(', ')
        .flatMap((table) => (rights as string).split(', ').map((right) => `${right} ON ${table}`)),
    )
    .filter((right) => !/petstore_schema|CONNECT/.test(right))
  await cluster.asAdmin(
    (sql) => sql.unsafe(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON petstore_schema TO ${role}`),
    name,
  )
  const error = await openStore(address.replace('postgres@', `${role}@`), { now }).catch((thrown) => thrown)
  const named = /\((.*)\): grant them/.exec(error.message)?.[1]?.split(/, (?=[A-Z])/)
  expect(named?.toSorted()).toEqual(granted.toSorted())
})

test('under one idempotency key, asked of two servers at once, one pet is added', async () => {
  const { address, store, by } = await storeWithKey()
  const other = await openStore(address, { now })
  const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`)
  const added = await Promise.all(keys.flatMap((key) => [store, other].map((each) => each.createPet(PET, by, key))))
  expect(new Set(added.map(({ value }) => value.id)).size).toBe(keys.length)
  expect(added.filter(({ replayed }) => replayed).length).toBe(keys.length)
  expect(petsOf(await store.listPets({ limit: 100 })).length).toBe(keys.length)
  await store.close()
  await other.close()
})

test.each(['creates', 'orders'])(
  'forgets idempotency keys whose day is over, also where there are only %s',
  async (what) => {
    const { address, store, by, name } = await storeWithKey()
    const pet = (await store.createPet(PET, by, 'a')).value
    await store.createPet(PET, by, 'b')
    await store.close()
    const tomorrow = await openStore(address, { now: () => now() + 86_400_000 })
    if (what === 'creates') await tomorrow.createPet(PET, by, 'c')
    else await tomorrow.placeOrder({ petId: pet.id }, by, 'c')
    const kept = () =>
      cluster.asAdmin(async (sql) => Array.from(await sql`SELECT key FROM idempotency_answers`, ({ key }) => key), name)
    while ((await kept()).length > 1) await Bun.sleep(10)
    expect(await kept()).toEqual(['c'])
    await tomorrow.close()
  },
)

test('forgets idempotency keys whose day is over, however many, also behind others that a wrong clock dated later', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const keep = (prefix: string, count: number, at: number) =>
    cluster.asAdmin(
      (sql) => sql`INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
                   SELECT ${String(by)}, ${prefix} || n, 'createPet', '{}', '{}', ${at} FROM generate_series(1, ${count}) AS n`,
      name,
    )
  await keep('later', 100, now() + 365 * 86_400_000)
  await keep('over', 12_000, now())
  const tomorrow = await openStore(address, { now: () => now() + 86_400_000 })
  const kept = () =>
    cluster.asAdmin(async (sql) => (await sql`SELECT count(*)::int AS n FROM idempotency_answers`)[0]?.n, name)
  while ((await kept()) > 100) {
    await tomorrow.createPet(PET, by)
    await Bun.sleep(10)
  }
  expect(await kept()).toBe(100)
  await tomorrow.close()
})

describe('with many rows', () => {
  /** How many rows of the tables were read by the time that a store had done `calls`, each a scan at least. */
  async function rowsRead(
    fill: string,
    calls: ((store: Store, by: KeyId) => Promise<unknown>)[],
    tables = ['pets', 'orders'],
  ): Promise<number> {
    const { address, store, by, name } = await storeWithKey()
    await store.close()
    await cluster.asAdmin((sql) => sql.unsafe(`${fill}; ANALYZE; SELECT pg_stat_force_next_flush()`), name)
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
      async (store) => expect((await store.listPets({ ...filter, status: 'available' })).next).toBe(18_005n),
      async (store) => expect((await store.listOrders({ ...filter, status: 'expired' })).next).toBe(18_005n),
      async (store) => expect((await store.listOrders({ ...filter, petId: 1n })).next).toBe(18_005n),
    ])
    expect(rows).toBeLessThan(1_000)
  })

  test('the order that holds a pet is found at once, however many orders the pet had', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 1, 'sold', 1, 1);
      INSERT INTO orders (pet_id, status, placed_at, changed_at)
      SELECT 1, CASE n WHEN 20000 THEN 'completed' ELSE 'cancelled' END, 1, 1 FROM generate_series(1, 20000) AS n`
    const listed = async (store: Store, status: OrderStatus) =>
      (await store.listOrders({ limit: 2, petId: 1n, status })).json.match(/"id":\d+/g)
    const rows = await rowsRead(fill, [
      async (store) => expect(await listed(store, 'pending')).toBeNull(),
      async (store) => expect(await listed(store, 'completed')).toEqual(['"id":20000']),
    ])
    expect(rows).toBeLessThan(10)
  })

  test('nothing is read to find that none of them is overdue', async () => {
    const fill = `
      INSERT INTO pets (name, category_id, status, created_at, created_by)
      SELECT 'Rex', 1, 'pending', 1, 1 FROM generate_series(1, 5000);
      INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
      SELECT n, 'pending', petstore_now() + 86400000, 1, 1 FROM generate_series(1, 5000) AS n`
    const rows = await rowsRead(fill, [async (store) => expect(await store.expireOrders(500)).toEqual([])])
    expect(rows).toBeLessThan(10)
  })

  test('an idempotency key is looked up by itself, also by a plan from when there were none', async () => {
    const batch = async (store: Store, by: KeyId) => {
      const keys = Array.from({ length: 32 }, () => crypto.randomUUID())
      const added = await Promise.all(keys.map((key) => store.createPet(PET, by, key)))
      await Promise.all(added.map(({ value }) => store.placeOrder({ petId: value.id }, by, `order of ${value.id}`)))
    }
    const rows = await rowsRead('', [batch, batch, batch, batch], ['idempotency_answers'])
    // Of 256 requests none finds a row; those that forget keys may read some.
    expect(rows).toBeLessThan(256)
  })
})

test('reads that arrive together are one query, and none is older than its question', async () => {
  const { store, by } = await storeWithKey()
  const before = store.listPets({ limit: 5 })
  const adding = store.createPet(PET, by)
  const [first, same] = await Promise.all([before, store.listPets({ limit: 5 })])
  expect(same).toBe(first)
  await adding
  expect(petsOf(await store.listPets({ limit: 5 })).length).toBe(1)
  await store.close()
})

function nameOf(address: string): string {
  return new URL(address).pathname.slice(1)
}
