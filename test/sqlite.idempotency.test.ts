// Idempotency keys in a file of SQLite: what is kept with them, how older files get it, and what a server of the version before
// does beside a new one.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewPet } from '../src/domain/pets.ts'
import { openStore } from '../src/store/kinds.ts'
import { APPLICATION_ID } from '../src/store/sqlite/file.ts'
import { temporaryFile } from './support/files.ts'
import { newKey } from './support/keys.ts'
import { petFilter } from './support/lists.ts'
import { newPet, petsOf } from './support/pets.ts'
import { rejectionOf } from './support/rejection.ts'
import { commits, DAY_MS, now, PET, storeWithKey } from './support/sqlite.ts'

const BY = 1n

const HOSTILE = [
  '"',
  '\\',
  '\\u0000',
  "'; --",
  '/</script>',
  '\u007f\u0080\u2028\u2029\ufeff\ufffe',
  '\u{1F436}\u{10FFFF}',
  'é é',
  ...Array.from({ length: 31 }, (_, n) => `x${String.fromCharCode(n + 1)}`),
]

/** A file as the version before left it, and a connection like one of its servers, with its statements. */
function openOldVersion() {
  const path = temporaryFile('petstore.db')
  const database = new Database(path, { safeIntegers: true })
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  database.run('PRAGMA journal_mode = WAL')
  for (const name of ['0001-pets-and-keys.sql', '0002-idempotency-keys.sql']) {
    database.run(readFileSync(join(import.meta.dir, '../src/store/sqlite/migrations', name), 'utf8'))
  }
  database.run('PRAGMA user_version = 2')
  database.run('PRAGMA foreign_keys = ON')
  database.run(`INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', 0, 1)`)
  const insert = database.query(
    'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
  )
  const find = database.query(
    `SELECT id, name, category_id AS categoryId, status FROM pets
     WHERE id = (SELECT pet_id FROM idempotency_keys WHERE key_id = ? AND key = ? AND created_at > ?)`,
  )
  const keep = database.query(
    'INSERT OR REPLACE INTO idempotency_keys (key_id, key, pet_id, created_at) VALUES (?, ?, ?, ?)',
  )
  const window = database.query(
    `SELECT max(pet_id) AS last, count(*) AS length
     FROM (SELECT pet_id FROM idempotency_keys WHERE pet_id > ? ORDER BY pet_id LIMIT ?)`,
  )
  const forget = database.query('DELETE FROM idempotency_keys WHERE pet_id > ? AND pet_id <= ? AND created_at <= ?')
  return {
    path,
    database,
    find: (key: string) => find.get(BY, key, now() - DAY_MS),
    forget: (at: number) => {
      const { last, length } = window.get(0, 512) as { last: bigint; length: bigint }
      forget.run(0, last, at - DAY_MS)
      return length
    },
    create(key: string, { name, categoryId, status }: NewPet): bigint {
      database.run('BEGIN IMMEDIATE')
      const id = BigInt(insert.run(name, categoryId, status, now(), BY).lastInsertRowid)
      keep.run(BY, key, id, now())
      database.run('COMMIT')
      return id
    },
  }
}

const answers = (database: Database) =>
  database.query('SELECT operation, request, answer, created_at FROM idempotency_answers ORDER BY rowid').values()

test('a create is replayed as it was answered first, whatever has become of the pet', async () => {
  const path = temporaryFile('petstore.db')
  const store = await openStore(path, { now })
  const { id: by } = await store.createKey({ name: 'k', hash: 'h' as never, readOnly: false, expiresAt: undefined })
  const { value } = await store.createPet(PET, by, 'k')
  const database = new Database(path)
  database.run(`UPDATE pets SET status = 'sold', name = 'Max'`)
  expect(await store.createPet(PET, by, 'k')).toEqual({ value, replayed: true })
  database.run('DELETE FROM pets')
  expect(await store.createPet(PET, by, 'k')).toEqual({ value, replayed: true })
  expect(await rejectionOf(store.createPet({ ...PET, status: 'sold' }, by, 'k'))).toMatchObject({
    code: 'idempotency_mismatch',
  })
  database.close()
  await store.close()
})

describe('a file of the version before', () => {
  test('keeps its keys, with request and answer exactly as the service writes them', async () => {
    const old = openOldVersion()
    const pets = HOSTILE.map(
      (name, n): NewPet => ({
        name,
        categoryId: n % 2 ? -(2n ** 63n) : 2n ** 63n - 1n,
        status: (['available', 'pending', 'sold'] as const)[n % 3] ?? 'sold',
      }),
    )
    for (const [n, pet] of pets.entries()) old.create(`old ${n}`, pet)
    old.database.close()
    const store = await openStore(old.path, { now })
    for (const [n, pet] of pets.entries()) await store.createPet(pet, BY, `new ${n}`)
    for (const [n, pet] of pets.entries()) {
      const expected = { value: { id: BigInt(n) + 1n, ...pet }, replayed: true }
      expect(await store.createPet(pet, BY, `old ${n}`)).toEqual(expected)
      expect(await rejectionOf(store.createPet({ ...pet, categoryId: 0n }, BY, `old ${n}`))).toMatchObject({
        code: 'idempotency_mismatch',
      })
    }
    await store.close()
    const database = new Database(old.path)
    const rows = answers(database)
    const withoutId = (row: unknown[] | undefined) => row?.map((value) => String(value).replace(/^{"id":\d+,/, '{'))
    for (let n = 0; n < pets.length; n++) expect(withoutId(rows[n])).toEqual(withoutId(rows[n + pets.length]))
    database.close()
  })

  test('serves an old server beside a new one: each finds what the other has added', async () => {
    const old = openOldVersion()
    const first = old.create('first', PET)
    const store = await openStore(old.path, { now })
    const { value } = await store.createPet({ ...PET, name: 'Mia' }, BY, 'new')
    expect(old.find('first')).toEqual({ id: first, ...PET })
    expect(old.find('new')).toEqual(value)
    expect(old.find('unknown')).toBeNull()
    for (const [n, name] of HOSTILE.entries()) {
      const pet = { ...PET, name }
      const id = old.create(`beside ${n}`, pet)
      expect(old.find(`beside ${n}`)).toEqual({ id, ...pet })
      expect(await store.createPet(pet, BY, `beside ${n}`)).toEqual({ value: { id, ...pet }, replayed: true })
    }
    old.database.close()
    await store.close()
  })

  test('an old server beside a new one: its pets are counted, orders move them, and the keys of orders are taken', async () => {
    const old = openOldVersion()
    old.create('before', PET)
    const store = await openStore(old.path, { now })
    const id = old.create('k', PET)
    old.create('another', { ...PET, status: 'sold' })
    expect(await store.getInventory()).toEqual({ available: 2n, pending: 0n, sold: 1n })
    const { value: order } = await store.placeOrder({ petId: id }, BY, 'of an order')
    // It compares what is asked for with the pet as it is now: 422.
    for (const key of ['k', 'of an order']) expect(old.find(key)).toEqual({ id, ...PET, status: 'pending' })
    expect(await store.createPet(PET, BY, 'k')).toEqual({ value: { id, ...PET }, replayed: true })
    await store.completeOrder(order.id, BY)
    expect(old.database.query(`SELECT id FROM pets WHERE status = 'sold' ORDER BY id`).values()).toEqual([[id], [3n]])
    expect(await store.getInventory()).toEqual({ available: 1n, pending: 0n, sold: 2n })
    old.database.close()
    await store.close()
  })

  test('an old server deletes no keys; one that counts as unused for it stands for its last request', async () => {
    const old = openOldVersion()
    old.create('k', PET)
    const store = await openStore(old.path, { now })
    expect(old.forget(now() + 2 * DAY_MS)).toBe(1n)
    expect((await store.createPet(PET, BY, 'k')).replayed).toBe(true)
    const id = old.create('k', { ...PET, name: 'Mia' })
    expect((await store.createPet({ ...PET, name: 'Mia' }, BY, 'k')).value.id).toBe(id)
    old.database.close()
    await store.close()
  })
})

describe('idempotency keys in a file', () => {
  test('hold on every server of the file, and after a restart', async () => {
    const { path, store, by } = await storeWithKey()
    const other = await openStore(path, { now })
    const { value: pet } = await store.createPet(PET, by, 'k')
    expect(await other.createPet(PET, by, 'k')).toEqual({ value: pet, replayed: true })
    await store.close()
    await other.close()
    const again = await openStore(path, { now })
    expect(await again.createPet(PET, by, 'k')).toEqual({ value: pet, replayed: true })
    await again.close()
  })

  test('are committed with their pet, and only then', async () => {
    const { path, store, by } = await storeWithKey()
    const other = new Database(path)
    for (const table of ['pets', 'idempotency_answers']) {
      other.run(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`)
      expect((await rejectionOf(store.createPet(PET, by, 'k'))).message).toContain('refused')
      other.run('DROP TRIGGER refuse')
      expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
    }
    const before = commits(path)
    expect((await store.createPet(PET, by, 'k')).replayed).toBe(false)
    expect(commits(path)).toBe(before + 1)
    other.close()
    await store.close()
  })

  /** A store whose process has clocks of its own, and what is kept in it. */
  async function openWithClocks(path = temporaryFile('petstore.db')) {
    const clock = { at: 1_000 * DAY_MS, ran: 0 }
    const store = await openStore(path, { now: () => clock.at, monotonic: () => clock.ran })
    const [first] = await store.listKeys()
    const { id: by } = first ?? (await store.createKey(newKey()))
    return {
      path,
      store,
      by,
      clock,
      /** Both clocks go on. */
      pass(ms: number) {
        clock.at += ms
        clock.ran += ms
      },
      add: (name: string, count: number) =>
        Promise.all(Array.from({ length: count }, (_, n) => store.createPet(PET, by, `${name} ${n}`))),
      /** Enough to forget all that may be forgotten. */
      async writeSome() {
        for (let n = 0; n < 6; n++) await store.createPet(PET, by)
      },
      kept() {
        const database = new Database(path, { readonly: true })
        const keys = database
          .query(`SELECT substr(key, 1, instr(key, ' ') - 1) FROM idempotency_answers`)
          .values()
          .flat()
        database.close()
        return Object.fromEntries(
          [...Map.groupBy(keys as string[], (key) => key)].map(([key, all]) => [key, all.length]),
        )
      },
    }
  }
  type Opened = Awaited<ReturnType<typeof openWithClocks>>

  test('are forgotten by a process that has seen them for a day, and not before', async () => {
    const { store, pass, add, writeSome, kept } = await openWithClocks()
    await add('first', 900)
    pass(DAY_MS - 1)
    await add('second', 3)
    expect(kept()).toEqual({ first: 900, second: 3 })
    pass(1)
    await writeSome()
    expect(kept()).toEqual({ first: 900, second: 3 })
    pass(DAY_MS - 1)
    await add('third', 900)
    expect(kept()).toEqual({ first: 900, second: 3, third: 900 })
    pass(1)
    await writeSome()
    // The last row of a look stays, so that none after it gets its number.
    expect(kept()).toEqual({ second: 1, third: 900 })
    pass(DAY_MS)
    await writeSome()
    expect(kept()).toEqual({ third: 1 })
    await store.close()
  })

  test('are forgotten in a store that is restarted every night, three nights later at the latest', async () => {
    const path = temporaryFile('petstore.db')
    for (let day = 0; day < 6; day++) {
      const { store, clock, add, writeSome, kept } = await openWithClocks(path)
      clock.at += day * DAY_MS
      await add(`day${day}`, 600)
      await writeSome()
      const expected = [day - 2, day - 1, day].filter((one) => one >= 0).map((one) => [`day${one}`, 600])
      expect(kept()).toEqual(Object.fromEntries(expected))
      await store.close()
    }
  })

  /** What is kept after each of the processes has written, the first of them with a right clock. */
  async function keptAfter(...writing: ((opened: Opened) => Promise<unknown>)[]) {
    const path = temporaryFile('petstore.db')
    const stores = []
    for (const write of writing) {
      const opened = await openWithClocks(path)
      stores.push(opened.store)
      await write(opened)
      await opened.writeSome()
    }
    const { kept, store } = await openWithClocks(path)
    await Promise.all([...stores, store].map((one) => one.close()))
    return kept()
  }

  for (const days of [1.05, 3, 400, -1.05, -3, -400]) {
    test(`outlive a server whose clock is ${days} days ahead, and so do its own`, async () => {
      const right = ({ add }: Opened) => add('right', 30)
      const wrong = ({ clock, add }: Opened) => {
        clock.at += days * DAY_MS
        return add('wrong', 30)
      }
      const later = ({ add }: Opened) => add('later', 30)
      const all = { right: 30, wrong: 30, later: 30 }
      expect(await keptAfter(right, wrong, later)).toEqual(all)
    })

    test(`outlive a clock that jumps ${days} days ahead and back while the process runs`, async () => {
      const { store, clock, pass, add, writeSome, kept } = await openWithClocks()
      await add('before', 30)
      clock.at += days * DAY_MS
      await add('meanwhile', 30)
      await writeSome()
      clock.at -= days * DAY_MS
      pass(DAY_MS - 1)
      await writeSome()
      expect(kept()).toEqual({ before: 30, meanwhile: 30 })
      await store.close()
    })
  }

  test('are forgotten although a wrong clock dated others later, and those are when a process has seen them for a day', async () => {
    const path = temporaryFile('petstore.db')
    const at = async (days: number, work: (opened: Opened) => Promise<unknown> = async () => {}) => {
      const opened = await openWithClocks(path)
      opened.clock.at += days * DAY_MS
      await work(opened)
      await opened.writeSome()
      await opened.store.close()
      return opened.kept()
    }
    await at(365, ({ add }) => add('ahead', 600))
    await at(0, ({ add }) => add('right', 600))
    expect(await at(3)).toEqual({ ahead: 600, right: 1 })
    const two = async ({ pass, writeSome }: Opened) => {
      await writeSome()
      pass(2 * DAY_MS)
    }
    expect(await at(4, two)).toEqual({ right: 1 })
  })

  test('a file of the version before gets them, and loses nothing', async () => {
    const path = temporaryFile('petstore.db')
    const old = new Database(path)
    old.run(`PRAGMA application_id = ${0x50455453}`)
    old.run(readFileSync(new URL('../src/store/sqlite/migrations/0001-pets-and-keys.sql', import.meta.url), 'utf8'))
    old.run(`PRAGMA user_version = 1`)
    old.run(`INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', 0, 1)`)
    old.run(`INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 7, 'sold', 1, 1)`)
    old.close()
    const store = await openStore(path, { now })
    expect(await store.getPet(1n)).toEqual({ id: 1n, ...newPet({ status: 'sold' }) })
    expect((await store.createPet(PET, 1n, 'k')).value.id).toBe(2n)
    await store.close()
  })
})
