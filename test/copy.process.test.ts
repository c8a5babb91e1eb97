// `petstore copy` from SQLite to PostgreSQL and back, also of tables and columns that later versions add.

import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { generateKey, hashKey } from '../src/domain/keys.ts'
import type { NewPet } from '../src/domain/pets.ts'
import { openStore } from '../src/store/kinds.ts'
import { temporaryFile } from './support/files.ts'
import { newPet, petBody } from './support/pets.ts'
import { sharedCluster } from './support/postgres.ts'
import { ask, run, serve } from './support/process.ts'
import { rejectionOf } from './support/rejection.ts'

const cluster = await sharedCluster()
const TABLES = ['keys', 'pets', 'idempotency_answers', 'deprecated_calls', 'orders', 'order_transitions']
const PETS = 2_500
const FIRST_ORDER = { petId: 1n, reference: 'till "3" \u{1F436}', expiresAt: 1e9 }
/** While Idempotency-Keys of the source are remembered. */
const LATER = 1e6

/** A store with something of everything, and an id that was given to a pet which is not there any more. */
async function filledFile(count = PETS): Promise<string> {
  const path = temporaryFile('petstore.db')
  let at = 1_000
  const store = await openStore(path, { now: () => at++ })
  const newKey = (name: string) => ({
    name,
    hash: hashKey(generateKey('production')),
    readOnly: name === 'b',
    expiresAt: 9e12,
  })
  const keys = await Promise.all(['a', 'b', 'c'].map((name) => store.createKey(newKey(name))))
  const by = keys[0]?.id as bigint
  await store.revokeKey(keys[2]?.id as bigint)
  const statuses = ['available', 'pending', 'sold'] as const
  const pets = Array.from({ length: count }, (_, n) =>
    newPet({
      name: n % 2 ? `Ada "é" \\ ${n}` : `\u{1F436}\n${n}`,
      categoryId: n % 3 ? BigInt(n) : -(2n ** 63n) + BigInt(n),
      status: statuses[n % 3] as NewPet['status'],
    }),
  )
  const created = await Promise.all(pets.map((pet) => store.createPet(pet, by)))
  const free = created.map(({ value }) => value).filter(({ status }) => status === 'available')
  const ends = ['completeOrder', 'cancelOrder', 'returnOrder', 'expire', undefined] as const
  for (const [n, end] of ends.entries()) {
    if (!free[n]) break
    const reference = n % 2 ? undefined : FIRST_ORDER.reference
    const order = { petId: free[n].id, reference, expiresAt: end === 'expire' ? at + 50 : FIRST_ORDER.expiresAt }
    const { id } = (await store.placeOrder(order, by, `order ${n}`)).value
    if (end === 'returnOrder') await store.completeOrder(id, by)
    if (end === 'expire') {
      at += 100
      await store.expireOrders(1)
    } else if (end) await store[end](id, by)
  }
  for (const key of ['x', 'Y']) await store.createPet(pets[0] as NewPet, by, key)
  await store.saveKeyUses([{ keyId: by, ending: 'aB12', at: 7 }])
  await store.countDeprecatedCalls([
    { keyId: by, operationId: 'getPet', calls: 3, lastAt: 5 },
    { keyId: by, operationId: 'Zoo', calls: 3, lastAt: 5 },
  ])
  await store.createPet(pets[0] as NewPet, by)
  await store.close()
  const database = new Database(path)
  database.run(`DELETE FROM pets WHERE id = ${count + 3}`)
  database.close()
  return path
}

/** Every value of every row, as text. */
function rowsOfFile(path: string, tables = TABLES): Record<string, string[]> {
  const database = new Database(path, { safeIntegers: true })
  const rows = tables.map((table) => [
    table,
    database
      .query(`SELECT * FROM ${table}`)
      .values()
      .map((row) => row.join('|'))
      .sort(),
  ])
  database.close()
  return Object.fromEntries(rows)
}

function runOnFile(path: string, sql: string): { number?: unknown }[] {
  const database = new Database(path)
  try {
    database.run('PRAGMA foreign_keys = ON')
    if (/RETURNING/.test(sql)) return database.query<{ number: unknown }, []>(sql).all()
    if (sql) database.run(sql)
    return []
  } finally {
    database.close()
  }
}

function runOnPostgres(address: string, sql: string): Promise<{ number?: unknown }[]> {
  return cluster.asAdmin(async (asked) => Array.from(await asked.unsafe(sql)), new URL(address).pathname.slice(1))
}

function copy(from: string, to: string) {
  return run(['copy', '--from', from, '--to', to])
}

describe('petstore copy', () => {
  let file: string
  let address: string
  beforeAll(async () => {
    file = await filledFile()
    address = await cluster.newDatabase()
  })

  test('moves a file to PostgreSQL and back, with ids, keys and times', async () => {
    const { status, stdout, stderr } = await copy(file, address)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(
      `Copied and compared: 3 keys, 10 order transitions, ${PETS + 2} pets, 2 deprecated calls, 7 idempotency answers, 5 orders.\n`,
    )
    const back = temporaryFile('back.db')
    expect((await copy(address, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
    for (const where of [address, back]) {
      const store = await openStore(where, { now: () => LATER })
      const pets = rowsOfFile(back, ['pets']).pets ?? []
      const count = (status: string) => BigInt(pets.filter((row) => row.split('|').includes(status)).length)
      // Not what the source says, which a row that was deleted by hand has left with one pet too many.
      expect(await store.getInventory()).toEqual({
        available: count('available'),
        pending: count('pending'),
        sold: count('sold'),
      })
      const { value: pet } = await store.createPet(newPet({ name: 'new', status: 'available' }), 1n)
      // Also not the id of the animal that was removed.
      expect(pet.id).toBe(BigInt(PETS + 4))
      const { value: order } = await store.placeOrder({ petId: pet.id }, 1n)
      expect(order.id).toBe(6n)
      // What was placed before goes on: the second sale is refused, and each key gives its first answer.
      const { value: first, replayed } = await store.placeOrder(FIRST_ORDER, 1n, 'order 0')
      expect([first.id, first.status, replayed]).toEqual([1n, 'pending', true])
      expect(await rejectionOf(store.placeOrder({ petId: 1n }, 1n))).toMatchObject({
        message: 'Pet 1 is sold: order 1.',
      })
      await store.close()
    }
  }, 30_000)

  test('refuses a target with other contents, and does not change it', async () => {
    const before = await cluster.asAdmin(
      (sql) => sql`SELECT * FROM pets ORDER BY id`,
      new URL(address).pathname.slice(1),
    )
    const { status, stderr } = await copy(file, address)
    expect(status).toBe(1)
    expect(stderr).toContain('holds other order transitions than the source')
    const after = await cluster.asAdmin(
      (sql) => sql`SELECT * FROM pets ORDER BY id`,
      new URL(address).pathname.slice(1),
    )
    expect(after).toEqual(before)
  }, 30_000)

  test('continues after an interruption, with the same result', async () => {
    const target = await cluster.newDatabase()
    const name = new URL(target).pathname.slice(1)
    const first = Bun.spawn([process.execPath, 'src/cli/main.ts', 'copy', '--from', file, '--to', target], {
      cwd: `${import.meta.dir}/..`,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const copied = () =>
      cluster.asAdmin(async (sql) => {
        const [there] = await sql`SELECT to_regclass('pets') IS NOT NULL AS exists`
        return there?.exists ? ((await sql`SELECT count(*)::int AS n FROM pets`)[0]?.n as number) : 0
      }, name)
    while ((await copied()) === 0) await Bun.sleep(1)
    first.kill('SIGKILL')
    await first.exited
    expect((await copy(file, target)).status).toBe(0)
    const back = temporaryFile('back.db')
    expect((await copy(target, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
  }, 30_000)

  test('creates nothing when the source does not exist', async () => {
    const [from, to] = [temporaryFile('nowhere.db'), temporaryFile('target.db')]
    const { status, stderr } = await copy(from, to)
    expect(status).toBe(1)
    expect(stderr).toContain('There is no store at')
    expect(existsSync(from)).toBe(false)
    expect(existsSync(to)).toBe(false)
  })

  test('shows no password', async () => {
    const { status, stderr } = await copy(file, 'postgres://petstore:hunter2@127.0.0.1:1/pets')
    expect(status).toBe(1)
    expect(stderr).toContain('postgres://127.0.0.1:1/pets cannot be used: it cannot be reached')
    expect(stderr).not.toContain('hunter2')
  })
})

describe('petstore copy of a schema that has grown', () => {
  /** What later migrations may add; `visits` stands before the tables that it refers to. */
  const GROWTH = {
    sqlite: `
      ALTER TABLE pets ADD COLUMN note TEXT;
      ALTER TABLE pets ADD COLUMN tame INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE "Visits of pets" (
        day TEXT NOT NULL, pet_id INTEGER NOT NULL REFERENCES pets (id), "order" INTEGER REFERENCES receipts (number),
        PRIMARY KEY (pet_id, day)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE receipts (paid INTEGER NOT NULL, number INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets (id)) STRICT;`,
    postgres: `
      ALTER TABLE pets ADD COLUMN tame boolean NOT NULL DEFAULT false, ADD COLUMN note text;
      CREATE TABLE "Visits of pets" (
        pet_id bigint NOT NULL REFERENCES pets, "order" bigint, day text NOT NULL, PRIMARY KEY (pet_id, day)
      );
      CREATE TABLE receipts (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pet_id bigint NOT NULL REFERENCES pets, paid boolean NOT NULL);
      ALTER TABLE "Visits of pets" ADD FOREIGN KEY ("order") REFERENCES receipts;`,
  }
  const NEW_TABLES = ['"Visits of pets"', 'receipts']

  async function newFile(growth = GROWTH.sqlite): Promise<string> {
    const path = temporaryFile('petstore.db')
    await (await openStore(path, { now: Date.now })).close()
    runOnFile(path, growth)
    return path
  }

  async function newDatabase(growth = GROWTH.postgres): Promise<string> {
    const address = await cluster.newDatabase()
    await (await openStore(address, { now: Date.now })).close()
    await runOnPostgres(address, growth)
    return address
  }

  test('takes new tables and columns to PostgreSQL and back', async () => {
    const file = await filledFile(1_200)
    runOnFile(
      file,
      `${GROWTH.sqlite}
       UPDATE pets SET note = 'note ' || id, tame = id % 2 WHERE id <> 5;
       INSERT INTO receipts SELECT id % 2, id, id FROM pets ORDER BY id LIMIT 1101;
       DELETE FROM receipts WHERE number = 1101;
       INSERT INTO "Visits of pets" SELECT char(64 + day.value), receipts.pet_id, nullif(number, 7)
         FROM receipts, json_each('[1, 2, 40]') AS day;`,
    )
    const address = await newDatabase()
    const back = await newFile()
    const there = await copy(file, address)
    expect(there).toMatchObject({ status: 0, stderr: '' })
    expect(there.stdout).toContain('3300 Visits of pets')
    expect(await copy(address, back)).toMatchObject({ status: 0, stderr: '' })
    const tables = [...TABLES, ...NEW_TABLES]
    expect(rowsOfFile(back, tables)).toEqual(rowsOfFile(file, tables))
    expect(rowsOfFile(back, ['pets']).pets?.join()).toContain('note 1200')
    for (const where of [back, address]) {
      // The next number is assigned behind those that were copied.
      const next = 'INSERT INTO receipts (pet_id, paid) VALUES (1, false) RETURNING number'
      const [row] = where === back ? runOnFile(where, next) : await runOnPostgres(where, next)
      expect(Number(row?.number)).toBe(1102)
    }
  }, 60_000)

  test('refuses a table or column that only one of the stores has', async () => {
    const cases: [sqlite: string, postgres: string, message: string][] = [
      ['ALTER TABLE pets ADD COLUMN note TEXT', '', 'pets.note (text)'],
      ['', 'ALTER TABLE pets ADD COLUMN note text', 'pets.note (text)'],
      ['CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT', '', 'the table notes'],
      ['', 'CREATE TABLE notes (id bigint PRIMARY KEY)', 'the table notes'],
      ['ALTER TABLE pets ADD COLUMN note TEXT', 'ALTER TABLE pets ADD COLUMN note bigint', 'pets.note (a number)'],
    ]
    for (const [sqlite, postgres, message] of cases) {
      const [file, address] = [await newFile(sqlite), await newDatabase(postgres)]
      for (const [from, to] of [
        [file, address],
        [address, file],
      ] as const) {
        const { status, stderr } = await copy(from, to)
        expect(status).toBe(1)
        expect(stderr).toStartWith('petstore: The two stores have different tables, so nothing was copied: only ')
        expect(stderr).toContain(message)
      }
    }
  }, 60_000)

  test('refuses an unknown column type and a table without a primary key', async () => {
    const cases: [sqlite: string, postgres: string, message: string][] = [
      ['ALTER TABLE pets ADD COLUMN price REAL', '', 'pets.price is of the type REAL'],
      ['CREATE TABLE notes (id INTEGER PRIMARY KEY)', '', 'The table notes is not STRICT'],
      ['ALTER TABLE pets ADD COLUMN photo BLOB', '', 'pets.photo is of the type BLOB'],
      ['', 'ALTER TABLE pets ADD COLUMN price numeric(10,2)', 'pets.price is of the type numeric(10,2)'],
      ['CREATE TABLE notes (text TEXT) STRICT', '', 'The table notes has no primary key'],
      ['', 'CREATE TABLE notes (text text)', 'The table notes has no primary key'],
    ]
    for (const [sqlite, postgres, message] of cases) {
      const [file, address] = [await newFile(sqlite), await newDatabase(postgres)]
      for (const [from, to] of [
        [file, address],
        [address, file],
      ] as const) {
        const { status, stderr } = await copy(from, to)
        expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
        expect(stderr.trim()).not.toContain('\n')
      }
    }
  }, 60_000)
})

test('petstore copy refuses a file that a service uses, as source and as target', async () => {
  const used = temporaryFile('petstore.db')
  const service = await serve(['--database', used])
  const other = temporaryFile('other.db')
  await (await openStore(other, { now: Date.now })).close()
  for (const [from, to] of [
    [used, other],
    [other, used],
  ] as const) {
    const { status, stderr } = await copy(from, to)
    expect([status, stderr]).toEqual([
      1,
      `petstore: ${used} is in use by another process. Stop the servers of both stores first.\n`,
    ])
  }
  const { status } = await ask('POST', `${service.url}/pets`, service.key, petBody())
  expect(status).toBe(201)
  expect(await service.stop()).toBe(0)
  expect((await copy(used, other)).status).toBe(0)
}, 30_000)

test('petstore copy refuses to copy a file to itself under another name', async () => {
  const file = await filledFile(1)
  const { status, stderr } = await copy(file, file.replace('/petstore.db', '/./petstore.db'))
  expect([status, stderr]).toEqual([1, 'petstore: Both addresses are the same. Name another store with --to.\n'])
})
