// Stores of every schema that there ever was are opened, brought to the newest, and have lost nothing. Those of SQLite
// are files that a killed service left (scripts/keep-store.ts); PostgreSQL is brought to the same version and filled
// with the same rows.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ApiKey, DeprecatedCalls, KeyHash, KeyId } from '../src/domain/keys.ts'
import type { Inventory, NewOrder, Order } from '../src/domain/orders.ts'
import type { Pet, PetStatus } from '../src/domain/pets.ts'
import type { Store } from '../src/domain/store.ts'
import { kindOf, openStore } from '../src/store/kinds.ts'
import { FUNCTIONS } from '../src/store/postgres/schema.ts'
import { indexAll } from '../src/store/postgres/search.ts'
import { MIGRATIONS } from '../src/store/sqlite/connection.ts'
import { lackOf } from '../src/store/sqlite/schema-check.ts'
import { allEvents, inventoryOf } from './support/events.ts'
import { temporaryFile } from './support/files.ts'
import { petFilter } from './support/lists.ts'
import { newPet, petsOf } from './support/pets.ts'
import { sharedCluster } from './support/postgres.ts'

interface Contents {
  at: number
  keys: (ApiKey & { hash: KeyHash })[]
  pets: Pet[]
  /** `pet`: what was answered, where it may have changed since. */
  once: { by: KeyId; key: string; petId: bigint; pet?: Pet }[]
  orders?: Order[]
  ordered?: { by: KeyId; key: string; order: NewOrder; answer: Order }[]
  inventory?: Inventory
  deprecatedCalls: DeprecatedCalls[]
  /** An id before this one was given to a pet that is not there any more. */
  nextPetId: bigint
}

const STORES = join(import.meta.dir, 'stores')
const POSTGRES = join(import.meta.dir, '../src/store/postgres/migrations')
const cluster = await sharedCluster()
const versions = MIGRATIONS.map((_, index) => index + 1)

test('a store of each schema is kept; with a new migration run `npm run keep-store`', () => {
  expect(readdirSync(STORES).sort()).toEqual(versions.map((version) => `sqlite-${version}`).sort())
})

describe.each(versions)('a store of schema %d', (version) => {
  test('in a file that a killed service left, with its log, has lost nothing', async () => {
    const path = keptFile(version)
    const unopened = new Database(path)
    expect(lackOf(unopened)).toBeUndefined()
    unopened.close()
    await expectContents(path, version)
    const database = new Database(path, { readonly: true })
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(database.query('PRAGMA foreign_key_check').values()).toEqual([])
    database.close()
  })

  test('has commits in its log that are not in the file, and rows that were never committed', () => {
    const path = keptFile(version)
    expect(readFileSync(`${path}-wal`).includes('never committed')).toBe(true)
    writeFileSync(`${path}-wal`, '')
    const database = new Database(path)
    expect(database.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get()?.n).toBe(20)
    database.close()
    expect(contentsOf(version).pets.length).toBeGreaterThan(20)
  })

  test('in PostgreSQL has lost nothing', async () => {
    const address = await cluster.newDatabase()
    await fillPostgres(address, version)
    await expectContents(address, version)
  })

  test.each(['a file', 'PostgreSQL'])('in %s can be recovered as it is, and later be opened', async (kind) => {
    const address = kind === 'a file' ? keptFile(version) : await cluster.newDatabase()
    if (kind === 'PostgreSQL') await fillPostgres(address, version)
    const { keys } = contentsOf(version)
    await kindOf(address).recover(address, {
      skipIds: 1_000n,
      async revoke(known) {
        expect(known).toEqual(keys.map(({ hash: _, ...key }) => key))
        return []
      },
    })
    await expectContents(address, version, 1_000n)
  })
})

/** At the time at which the store was left. */
async function expectContents(address: string, version: number, skippedIds = 0n): Promise<void> {
  const { at, keys, pets, once, orders = [], ordered = [], deprecatedCalls, nextPetId } = contentsOf(version)
  const { inventory = countOf(pets) } = contentsOf(version)
  expect((await kindOf(address).schema(address)).version).toBe(version)
  const store = await openStore(address, { now: () => at })
  expect(await kindOf(address).schema(address)).toEqual({ version: MIGRATIONS.length, newest: MIGRATIONS.length })
  expect(await store.listKeys()).toEqual(keys.map(({ hash: _, ...key }) => key))
  for (const { hash, ...key } of keys) expect(await store.findKey(hash)).toEqual(key)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 })))).toEqual(pets)
  expect(await store.listDeprecatedCalls()).toEqual(deprecatedCalls)
  expect(await store.getInventory()).toEqual(inventory)
  expect(await Promise.all(orders.map(({ id }) => store.getOrder(id)))).toEqual(orders)
  await expectEvents(store, pets, orders)
  const [{ id: ada = 0n } = {}] = pets.filter(({ name }) => name.startsWith('Ada'))
  if (ada > 0n) expect(petsOf(await store.listPets(petFilter({ limit: 1, search: 'ada' })))[0]?.id).toBe(ada)
  for (const { by, key, petId, pet = pets.find(({ id }) => id === petId) as Pet } of once) {
    const { id: _, ...request } = pet
    expect(await store.createPet(request, by, key)).toEqual({ value: pet, replayed: true })
  }
  for (const { by, key, order, answer } of ordered) {
    expect(await store.placeOrder(order, by, key)).toEqual({ value: answer, replayed: true })
  }
  const { value: added } = await store.createPet(newPet({ name: 'new' }), keys[0]?.id as KeyId)
  expect(added.id).toBe(nextPetId + skippedIds)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 })))).toEqual([...pets, added])
  await store.close()
}

/** All that had happened, with the pets as they were added. */
async function expectEvents(store: Store, pets: Pet[], orders: readonly Order[]): Promise<void> {
  const events = await allEvents(store)
  expect(inventoryOf(events)).toEqual(countOf(pets))
  const deleted = new Set(events.flatMap(({ type, petId }) => (type === 'pet.deleted' ? petId : [])))
  const added = events.flatMap(({ type, pet }) => (type === 'pet.added' && pet && !deleted.has(pet.id) ? pet : []))
  const isOrdered = (id: bigint) => orders.some(({ petId }) => petId === id)
  expect(added).toEqual(pets.map((pet) => (isOrdered(pet.id) ? { ...pet, status: 'available' } : pet)))
  for (const { id, status, changedAt } of orders) {
    const ofOrder = await allEvents(store, { orderId: id })
    expect(ofOrder[0]).toMatchObject({ type: 'order.placed', orderStatus: 'pending' })
    expect(ofOrder.at(-1)).toMatchObject({ orderStatus: status, at: new Date(changedAt).toISOString() })
    expect(ofOrder).toHaveLength({ pending: 1, returned: 3 }[status as string] ?? 2)
  }
}

function countOf(pets: Pet[]): Inventory {
  const count = (status: PetStatus) => BigInt(pets.filter((pet) => pet.status === status).length)
  return { available: count('available'), pending: count('pending'), sold: count('sold') }
}

function contentsOf(version: number): Contents {
  const text = readFileSync(join(STORES, `sqlite-${version}`, 'contents.json'), 'utf8')
  const contents = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Contents
  // JSON leaves out what is undefined.
  const keys = contents.keys.map((key) => Object.assign({ expiresAt: undefined, revokedAt: undefined }, key))
  return { ...contents, keys }
}

function keptFile(version: number): string {
  const path = temporaryFile('petstore.db')
  for (const suffix of ['', '-wal']) {
    writeFileSync(path + suffix, gunzipSync(readFileSync(join(STORES, `sqlite-${version}`, `petstore.db${suffix}.gz`))))
  }
  return path
}

/** The migrations up to that version, and the rows of the kept file. */
async function fillPostgres(address: string, version: number): Promise<void> {
  const database = new Database(keptFile(version), { safeIntegers: true })
  const tables = database
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
         AND (name NOT LIKE 'search%' OR ${version} < 20)`)
    .all()
  await cluster.asAdmin(async (sql) => {
    const migrations = readdirSync(POSTGRES).sort().slice(0, version)
    for (const file of migrations) await sql.unsafe(readFileSync(join(POSTGRES, file), 'utf8'))
    if (version === MIGRATIONS.length) for (const text of FUNCTIONS) await sql.unsafe(text)
    await sql.unsafe(`CREATE TABLE petstore_schema AS SELECT ${version} AS version`)
    // Rows may stand before those that they refer to.
    await sql`SET session_replication_role = replica`
    for (const { name: table } of tables) {
      const rows = database.query(`SELECT * FROM ${table}`).all()
      const name = table === 'pet_counts' ? 'inventory' : table
      const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      await sql.unsafe(`DELETE FROM ${name}`)
      await sql.unsafe(
        `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1::text::json)`,
        [text],
      )
    }
    // Rows that are written by hand are not in the index of search.
    if (version >= 20) await indexAll((text, ...values) => sql.unsafe(text, values as never[]) as never)
    // By the clock of the database they would be over.
    if (version > 2) await sql`UPDATE idempotency_answers SET created_at = extract(epoch FROM now()) * 1000`
    else if (version === 2) await sql`UPDATE idempotency_keys SET created_at = extract(epoch FROM now()) * 1000`
    const ids = database.query<{ name: string; seq: bigint }, []>('SELECT name, seq FROM sqlite_sequence').all()
    for (const { name, seq } of ids) await sql.unsafe(`SELECT setval(pg_get_serial_sequence('${name}', 'id'), ${seq})`)
  }, new URL(address).pathname.slice(1))
  database.close()
}
