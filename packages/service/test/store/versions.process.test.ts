// The kept stores of every release are migrated to the newest schema without losing data. The files are what a killed
// service left (scripts/store-fixture.ts). For PostgreSQL, the release creates the schema, and the test adds the same
// rows. migrate.process.test.ts tests the rest of migrations.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { allEvents, inventoryOf } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petFilter } from '../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { run } from '../../../../test/support/process.ts'
import { RELEASES, releasedStore } from '../../../../test/support/released-store.ts'
import { noStrace, straced } from '../../../../test/support/strace.ts'
import type { ApiKey, DeprecatedCalls, KeyHash, KeyId } from '../../src/domain/keys.ts'
import type { Inventory, NewOrder, Order } from '../../src/domain/orders.ts'
import type { Pet, PetStatus } from '../../src/domain/pets.ts'
import type { Store } from '../../src/domain/store.ts'
import { kindOf, openStore } from '../../src/store/kinds.ts'
import { NEWEST_VERSION as NEWEST_OF_POSTGRES } from '../../src/store/postgres/schema/schema.ts'
import { indexRows } from '../../src/store/postgres/write/search-index.ts'
import { FIRST_VERSION } from '../../src/store/shared/schema-versions.ts'
import { TABLES } from '../../src/store/shared/tables.ts'
import { lackOf } from '../../src/store/sqlite/file/integrity.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema/schema.ts'

interface Contents {
  at: number
  keys: (ApiKey & { hash: KeyHash })[]
  pets: Pet[]
  /** `pet` is the original response. */
  once: { by: KeyId; key: string; petId: bigint; pet: Pet }[]
  orders: Order[]
  ordered: { by: KeyId; key: string; order: NewOrder; answer: Order }[]
  inventory: Inventory
  deprecatedCalls: DeprecatedCalls[]
  /** The id before this one belonged to a deleted pet. */
  nextPetId: bigint
}

const STORES = join(import.meta.dir, 'stores')
const cluster = await sharedCluster()
const released = Array.from({ length: NEWEST_VERSION - FIRST_VERSION + 1 }, (_, n) => FIRST_VERSION + n)

test('each schema has a fixture (after a new migration run `bun scripts/store-fixture.ts`)', () => {
  expect(readdirSync(STORES).sort()).toEqual(released.map((version) => `sqlite-${version}`))
  expect(NEWEST_OF_POSTGRES).toBe(NEWEST_VERSION)
})

describe.each(released)('a store of schema %d', (version) => {
  const name = `sqlite-${version}`

  test('keeps all data of a file and the log that a killed service left', async () => {
    const path = fixtureFile(version)
    const unopened = new Database(path)
    expect(lackOf(unopened)).toBeUndefined()
    unopened.close()
    await expectContents(path, version, name)
    const database = new Database(path, { readonly: true })
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(database.query('PRAGMA foreign_key_check').values()).toEqual([])
    database.close()
  })

  test('has commits and uncommitted rows in its log that are not in its file', () => {
    const path = fixtureFile(version)
    expect(readFileSync(`${path}-wal`).includes('never committed')).toBe(true)
    writeFileSync(`${path}-wal`, '')
    const database = new Database(path)
    expect(database.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get()?.n).toBe(20)
    database.close()
    expect(contentsOf(name).pets.length).toBeGreaterThan(20)
  })

  if (version in RELEASES)
    test('keeps all data in PostgreSQL', async () => {
      await expectContents(await postgresOf(version), version, name)
    })
})

test.skipIf(noStrace !== '')(
  `a migration that is killed at any write leaves the schema of one version, with all rows${noStrace}`,
  async () => {
    const seen = new Set<number>()
    for (let when = 1; !seen.has(0); when += 1 + (when >> 2)) {
      const path = fixtureFile(FIRST_VERSION)
      const inject = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=SIGKILL:when=${when}`]
      const { status } = await run(['migrate', '--apply'], {
        env: { PETSTORE_DATABASE: path },
        command: straced(inject),
      })
      if (status === 0) seen.add(0)
      const { version } = await kindOf(path).schema(path)
      seen.add(version)
      await expectContents(path, version, `sqlite-${FIRST_VERSION}`)
    }
    // Each version is a separate transaction.
    expect([...seen]).toEqual(expect.arrayContaining([0, FIRST_VERSION, NEWEST_VERSION]))
  },
)

async function postgresOf(version: number): Promise<string> {
  const address = await cluster.newDatabase()
  await fillPostgres(address, version)
  return address
}

/** Copies the kept file and its log. */
function fixtureFile(version: number): string {
  const path = temporaryFile('petstore.db')
  for (const suffix of ['', '-wal']) {
    writeFileSync(path + suffix, gunzipSync(readFileSync(join(STORES, `sqlite-${version}`, `petstore.db${suffix}.gz`))))
  }
  return path
}

/** Opens the store at the time when it was killed. */
async function expectContents(address: string, version: number, name: string): Promise<void> {
  const { at, keys, pets, once, orders, ordered, deprecatedCalls, inventory, nextPetId } = contentsOf(name)
  expect((await kindOf(address).schema(address)).version).toBe(version)
  const store = await openStore(address, { now: () => at })
  expect(await kindOf(address).schema(address)).toEqual({ version: NEWEST_VERSION, newest: NEWEST_VERSION })
  expect(await store.listKeys()).toEqual(keys.map(({ hash: _, ...key }) => key))
  for (const { hash, ...key } of keys) expect(await store.findKey(hash)).toEqual(key)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 })))).toEqual(pets)
  expect(await store.listDeprecatedCalls()).toEqual(deprecatedCalls)
  expect(await store.getInventory()).toEqual(inventory)
  expect(await Promise.all(orders.map(({ id }) => store.getOrder(id)))).toEqual(orders)
  await expectEvents(store, name, contentsOf(name))
  const ada = pets.filter(({ name }) => name.startsWith('Ada'))
  expect(petsOf(await store.listPets(petFilter({ limit: 100, search: 'ada' })))).toEqual(ada)
  for (const { by, key, pet } of once) {
    const { id: _, ...request } = pet
    expect(await store.createPet(request, by, key)).toEqual({ value: pet, replayed: true })
  }
  for (const { by, key, order, answer } of ordered) {
    expect(await store.placeOrder(order, by, key)).toEqual({ value: answer, replayed: true })
  }
  const { value: added } = await store.createPet(newPet({ name: 'new' }), keys[0]?.id as KeyId)
  expect(added.id).toBe(nextPetId)
  expect(petsOf(await store.listPets(petFilter({ limit: 100 })))).toEqual([...pets, added])
  await store.close()
}

const termsOf = ({ reference, expiresAt }: Order) =>
  JSON.parse(JSON.stringify({ reference, expiresAt: expiresAt && new Date(expiresAt).toISOString() }))

async function expectEvents(store: Store, name: string, { pets, orders, inventory }: Contents): Promise<void> {
  const events = await allEvents(store)
  expect(inventoryOf(events)).toEqual(inventory)
  const added = events.flatMap(({ type, petId }) => (type === 'pet.added' ? petId : []))
  expect(added).toEqual(expect.arrayContaining(pets.map(({ id }) => id)))
  for (const order of orders) {
    const { id, status, changedAt } = order
    const ofOrder = await allEvents(store, { orderId: id })
    const terms = ofOrder.flatMap(({ terms }) => terms ?? [])
    // Events of 1.0.0 have no terms.
    expect(terms.at(-1)).toEqual(name === 'sqlite-21' ? undefined : termsOf(order))
    expect(ofOrder[0]).toMatchObject({ type: 'order.placed', orderStatus: 'pending' })
    expect(ofOrder.at(-1)).toMatchObject({ orderStatus: status, at: new Date(changedAt).toISOString() })
  }
}

function contentsOf(name: string): Contents {
  const text = readFileSync(join(STORES, name, 'contents.json'), 'utf8')
  // A bigint is written as "7n".
  const contents: Contents = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  )
  // JSON omits undefined values.
  const keys = contents.keys.map((key) => Object.assign({ expiresAt: undefined, revokedAt: undefined }, key))
  const count = (status: PetStatus) => BigInt(contents.pets.filter((pet) => pet.status === status).length)
  expect(contents.inventory).toEqual({ available: count('available'), pending: count('pending'), sold: count('sold') })
  return { ...contents, keys }
}

/** Creates the schema of that version with the rows of the kept file. */
async function fillPostgres(address: string, version: number): Promise<void> {
  const database = new Database(fixtureFile(version), { safeIntegers: true })
  const open = await releasedStore(RELEASES[version] as string)
  await (await open(address, { now: Date.now })).close()
  await cluster.asAdmin(async (sql) => {
    // Rows can precede rows that they refer to.
    await sql`SET session_replication_role = replica`
    // An earlier schema has fewer tables.
    const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const names = [...TABLES.map(({ name }): string => name), 'inventory']
    for (const { name } of tables.filter(({ name }) => names.includes(name))) {
      const rows = database.query(`SELECT * FROM ${name}`).all()
      const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      await sql.unsafe(`DELETE FROM ${name}`)
      const all = `SELECT * FROM json_populate_recordset(NULL::${name}, $1::text::json)`
      await sql.unsafe(`INSERT INTO ${name} OVERRIDING SYSTEM VALUE ${all}`, [text])
    }
    // Rows that are inserted by SQL are not in the search index.
    for (const table of ['pets', 'orders'] as const) {
      await indexRows((text, ...values) => sql.unsafe(text, values as never[]) as never, table, 0n, 10_000)
    }
    // Otherwise the database considers them expired.
    await sql`UPDATE idempotency_answers SET created_at = extract(epoch FROM now()) * 1000`
    const ids = database.query<{ name: string; seq: bigint }, []>('SELECT name, seq FROM sqlite_sequence').all()
    for (const { name, seq } of ids) await sql.unsafe(`SELECT setval(pg_get_serial_sequence('${name}', 'id'), ${seq})`)
  }, address)
  database.close()
}
