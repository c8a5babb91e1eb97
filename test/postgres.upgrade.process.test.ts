// A rolling upgrade on PostgreSQL: the statements of servers of the version before, beside servers of this one, on a database
// that was migrated under them, with the rights that the version before asked for.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { NewPet } from '../src/domain/pets.ts'
import type { Store } from '../src/domain/store.ts'
import { openStore } from '../src/store/kinds.ts'
import { FUNCTIONS } from '../src/store/postgres/schema.ts'
import { newKey } from './support/keys.ts'
import { sharedCluster } from './support/postgres.ts'
import { rejectionOf } from './support/rejection.ts'

const PET: NewPet = { name: 'Rex "the 1st"', categoryId: 2n ** 62n, status: 'available' }
const MIGRATIONS = join(import.meta.dir, '../src/store/postgres/migrations')
const files = readdirSync(MIGRATIONS).sort()
const OLD_MIGRATIONS = files.slice(0, 2)
const NEW_MIGRATIONS = files.slice(2)
const migration = (file: string) => readFileSync(join(MIGRATIONS, file), 'utf8')
/** What servers of schema 2 send. They prepare each statement once and go on with it. */
const OLD_CREATE = `SELECT replayed, id, name, category_id AS "categoryId", status
  FROM petstore_create_pets($1::text::json, $2, $3)
  WHERE NOT replayed OR pg_logical_emit_message(true, 'petstore', '') IS NOT NULL`
const OLD_FORGET = `
  WITH looked AS MATERIALIZED (SELECT pet_id FROM idempotency_keys WHERE pet_id > $2 ORDER BY pet_id LIMIT $3),
  forgotten AS (
    DELETE FROM idempotency_keys
    WHERE pet_id > $2 AND pet_id <= (SELECT max(pet_id) FROM looked) AND created_at <= $1
  )
  SELECT max(pet_id) AS last, count(*) AS length FROM looked`
const OLD_GRANTS = [
  'GRANT SELECT ON petstore_schema TO old_server',
  'GRANT SELECT, INSERT ON pets TO old_server',
  'GRANT SELECT, INSERT, UPDATE ON keys, deprecated_calls TO old_server',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO old_server',
]

const cluster = await sharedCluster()
const by = 1n
const at = Date.now()

/** A database of schema 2, and an old server on it. */
async function oldDatabase() {
  const address = await cluster.newDatabase()
  const name = new URL(address).pathname.slice(1)
  await cluster.asAdmin(async (sql) => {
    for (const file of OLD_MIGRATIONS) {
      await sql.unsafe(migration(file))
    }
    await sql`CREATE TABLE petstore_schema (version integer NOT NULL)`
    await sql`INSERT INTO petstore_schema VALUES (2)`
    await sql`INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', false, 0)`
    await sql.unsafe(OLD_GRANTS.join(';'))
  }, name)
  return { address, name, ...oldServer(address) }
}

function oldServer(address: string) {
  const sql = postgres(address.replace('postgres@', 'old_server@'), { max: 1 })
  const ask = (statement: string, ...parameters: (string | number | bigint)[]) =>
    sql.unsafe(statement, parameters.map(String), { prepare: true })
  const create = async (pet: NewPet, key?: string): Promise<Record<string, unknown> & { id: string }> => {
    const row = { name: pet.name, category_id: String(pet.categoryId), status: pet.status, created_by: String(by), key }
    const [created] = await ask(OLD_CREATE, JSON.stringify([row]), at, at - 86_400_000)
    return { ...created, id: String(created?.id) }
  }
  return {
    ask,
    create,
    /** As an operator would, without the function. */
    add: ({ name: petName, categoryId, status }: NewPet) =>
      ask(
        'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ($1, $2, $3, $4, $5)',
        petName,
        categoryId,
        status,
        at,
        by,
      ),
    forget: async (until: number) => ({ ...(await ask(OLD_FORGET, until, 0, 5_000))[0] }),
    end: () => sql.end(),
  }
}

const replayOf = (id: bigint | string, pet = PET) => ({
  replayed: true,
  id: String(id),
  name: pet.name,
  categoryId: String(pet.categoryId),
  status: pet.status,
})

beforeAll(() => cluster.asAdmin((sql) => sql`CREATE ROLE old_server LOGIN`))

describe('a server of the previous version, beside a new one', () => {
  let old: Awaited<ReturnType<typeof oldDatabase>>
  let store: Store
  let before: bigint

  beforeAll(async () => {
    old = await oldDatabase()
    before = BigInt((await old.create(PET, 'before')).id)
    await old.create({ ...PET, status: 'sold' })
    await old.forget(0)
    store = await openStore(old.address, { now: () => at })
  })
  afterAll(async () => {
    await old.end()
    await store.close()
  })

  test('finds what was added before the migration under an Idempotency-Key, and so does the new one', async () => {
    expect(await old.create(PET, 'before')).toEqual(replayOf(before))
    expect(await store.createPet(PET, by, 'before')).toEqual({
      value: { id: before, ...PET },
      replayed: true,
    })
  })

  test('and the new one find the keys of each other', async () => {
    const { id } = await old.create(PET, 'of the old one')
    expect(await store.createPet(PET, by, 'of the old one')).toEqual({
      value: { id: BigInt(id), ...PET },
      replayed: true,
    })
    expect(await rejectionOf(store.createPet({ ...PET, name: 'Mia' }, by, 'of the old one'))).toMatchObject({
      code: 'idempotency_mismatch',
    })
    const { value } = await store.createPet(PET, by, 'of the new one')
    expect(await old.create(PET, 'of the new one')).toEqual(replayOf(value.id))
    expect(await old.create(PET, 'of the old one')).toEqual(replayOf(id))
  })

  test('replays the first answer after the pet has changed, and so does the new one', async () => {
    const { id } = await old.create(PET, 'sold later')
    await cluster.asAdmin((sql) => sql`UPDATE pets SET status = 'sold' WHERE id = ${id}`, old.name)
    expect(await old.create(PET, 'sold later')).toEqual(replayOf(id))
    expect((await store.createPet(PET, by, 'sold later')).value.status).toBe('available')
  })

  test('finds a key that was used for an order taken, and so does the new one with a key of its pets', async () => {
    const { id } = await old.create(PET, 'of a pet')
    const { value: order } = await store.placeOrder({ petId: BigInt(id) }, by, 'of an order')
    expect(order).toMatchObject({ petId: BigInt(id), petName: PET.name, status: 'pending' })
    // An old server compares the pet of the answer with the one it is asked for, and refuses what differs.
    expect(await old.create(PET, 'of an order')).toEqual({
      ...replayOf(0n),
      name: null,
      categoryId: null,
      status: null,
    })
    expect(await rejectionOf(store.placeOrder({ petId: BigInt(id) }, by, 'of a pet'))).toMatchObject({
      code: 'idempotency_mismatch',
    })
    await store.completeOrder(order.id, by)
    expect(await old.create(PET, 'of a pet')).toEqual(replayOf(id))
  })

  test('adds pets that the inventory counts, also by a plain INSERT, and as its old rights allow', async () => {
    const before = await store.getInventory()
    for (const status of ['available', 'pending', 'sold'] as const) await old.create({ ...PET, status })
    // Not the one that is counted in.
    await old.ask('CREATE TEMPORARY TABLE inventory (status text, pets bigint)')
    await old.add(PET)
    await old.add({ ...PET, status: 'sold' })
    const { available, pending, sold } = before
    expect(await store.getInventory()).toEqual({ available: available + 2n, pending: pending + 1n, sold: sold + 2n })
    const counted = await cluster.asAdmin(
      (sql) =>
        sql`SELECT status FROM inventory WHERE pets <> (SELECT count(*) FROM pets WHERE pets.status = inventory.status)`,
      old.name,
    )
    expect(counted.length).toBe(0)
  })

  test('deletes no keys, and gets no error when it tries', async () => {
    await old.create(PET, 'kept')
    expect(await old.forget(at)).toEqual({ last: null, length: '0' })
    expect((await old.create(PET, 'kept')).replayed).toBe(true)
  })
})

test('creates of old servers that wait for the migration are done, or fail with an error after which nothing was done', async () => {
  const old = await oldDatabase()
  const other = oldServer(old.address)
  await old.create(PET, 'a')
  await other.create(PET)
  const { waiting } = await cluster.asAdmin(
    (sql) =>
      sql.begin(async (transaction) => {
        await transaction`SELECT pg_advisory_xact_lock(1346720851, 1)`
        const waiting = Promise.all([old.create(PET, 'a').catch((error) => error.code), other.create(PET)])
        while ((await transaction`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`).length < 2) {
          await Bun.sleep(5)
        }
        for (const sql of [...NEW_MIGRATIONS.map(migration), ...FUNCTIONS]) await transaction.unsafe(sql)
        return { waiting }
      }),
    old.name,
  )
  // Every old server answers 503 to a failed serialization. The first ones answered 500 to an INSERT into a view.
  expect(await waiting).toEqual(['40001', expect.objectContaining({ replayed: false })])
  expect(await old.create(PET, 'a')).toMatchObject({ replayed: true })
  expect(await old.create(PET, 'b')).toMatchObject({ replayed: false })
  await Promise.all([old.end(), other.end()])
})

test('a server of schema 6, beside a new one, adds and orders pets with the functions that it knows', async () => {
  const address = await cluster.newDatabase()
  const store = await openStore(address, { now: () => at })
  const { id: key } = await store.createKey(newKey())
  const sql = postgres(address, { max: 1 })
  const ask = async (statement: string, ...parameters: (string | number)[]) =>
    Array.from(await sql.unsafe(statement, parameters.map(String), { prepare: true })) as object[]
  const add = () =>
    ask(
      'SELECT id, operation, request, answer FROM petstore_add_pets($1::text::json, $2, $3)',
      JSON.stringify([{ name: 'Rex', category_id: '7', status: 'available', created_by: String(key), key: 'k' }]),
      at,
      at - 86_400_000,
    )
  const change = (ids: string, states: string, placements: object[]) =>
    ask(
      `SELECT changed, refusal, id, status FROM petstore_change_orders(
         $1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::json, $5, $6)`,
      ids,
      states,
      ids === '{}' ? '{}' : `{${key}}`,
      JSON.stringify(placements),
      at,
      at - 86_400_000,
    )
  const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
  expect(await add()).toMatchObject([{ id: '1', operation: null }])
  expect(await store.createPet(pet, key, 'k')).toEqual({ value: { id: 1n, ...pet }, replayed: true })
  expect(await change('{}', '{}', [{ pet_id: '1', key_id: String(key) }])).toEqual([
    { changed: true, refusal: null, id: '1', status: 'pending' },
  ])
  expect((await store.completeOrder(1n, key)).status).toBe('completed')
  expect(await change('{1}', '{returned}', [])).toEqual([{ changed: true, refusal: null, id: '1', status: 'returned' }])
  expect((await store.returnOrder(1n, key)).status).toBe('returned')
  await sql.end()
  await store.close()
})
