// The embedded store: the promises of every store, and what is peculiar to a file of SQLite's.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { generateKey, hashKey } from '../src/domain/keys.ts'
import { openStore } from '../src/store/kinds.ts'
import { openConnection } from '../src/store/sqlite/connection.ts'
import { reads, Statements } from '../src/store/sqlite/statements.ts'
import { sqliteStore } from '../src/store/sqlite/store.ts'
import { ordersConformance } from './orders.conformance.ts'
import { conformance } from './store.conformance.ts'
import { temporaryFile } from './support/files.ts'
import { newPet, petsOf } from './support/pets.ts'
import { rejectionOf } from './support/rejection.ts'

conformance('SQLite in memory', (options) => openStore(':memory:', options))
conformance('SQLite in a file', (options) => openStore(temporaryFile('petstore.db'), options))
ordersConformance('SQLite in a file', (options) => openStore(temporaryFile('petstore.db'), options))

const PET = newPet()
/** Opens the database, says so, and leaves it when told to. */
const LEAVE = `
  const database = new (require('bun:sqlite').Database)(process.argv[1])
  database.query('SELECT count(*) FROM pets').get()
  console.log('open')
  await new Response(Bun.stdin.stream()).text()
  database.close()
`
const now = () => 1_234
const DAY_MS = 86_400_000
const newKey = () => ({ name: 'k', hash: hashKey(generateKey('production')), readOnly: false, expiresAt: undefined })

async function storeWithKey(path = temporaryFile('petstore.db')) {
  const store = await openStore(path, { now })
  const { id } = await store.createKey(newKey())
  return { path, store, by: id }
}

/** The sizes in pages of the database after each commit in the write-ahead log (https://sqlite.org/fileformat.html, 4). */
function commits(path: string): number {
  const log = readFileSync(`${path}-wal`)
  const frameBytes = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) count++
  return count
}

describe('a file', () => {
  test('is in WAL mode, synced at every commit', () => {
    const { database, close } = openConnection(temporaryFile('petstore.db'))
    expect(database.query('PRAGMA journal_mode').values()).toEqual([['wal']])
    expect(database.query('PRAGMA synchronous').values()).toEqual([[2n]])
    close()
  })

  test('a create changes the version of the data alone; what another process commits, or changes a key, that of the keys, too', async () => {
    const { path, store, by } = await storeWithKey()
    const another = await openStore(path, { now })
    const changed = async (work: () => Promise<unknown>) => {
      const before = await store.version?.()
      await work()
      const after = await store.version?.()
      return { data: before?.data !== after?.data, keys: before?.keys !== after?.keys }
    }
    const order = async () => {
      const { value } = await store.placeOrder({ petId: 1n }, by)
      return store.cancelOrder(value.id, by)
    }
    expect(await changed(async () => {})).toEqual({ data: false, keys: false })
    expect(await changed(() => store.createPet(PET, by))).toEqual({ data: true, keys: false })
    expect(await changed(order)).toEqual({ data: true, keys: false })
    expect(await changed(() => another.createPet(PET, by))).toEqual({ data: true, keys: true })
    expect(await changed(() => store.createKey(newKey()))).toEqual({ data: true, keys: true })
    expect(await changed(() => store.rotateKey(by, newKey(), 2_000))).toEqual({ data: true, keys: true })
    expect(await changed(() => store.revokeKey(by))).toEqual({ data: true, keys: true })
    expect(await changed(() => another.createKey(newKey()))).toEqual({ data: true, keys: true })
    await Promise.all([store.close(), another.close()])
  })

  test('creates that arrive together commit together', async () => {
    const { path, store, by } = await storeWithKey()
    const before = commits(path)
    await Promise.all(Array.from({ length: 64 }, () => store.createPet(PET, by)))
    expect(commits(path)).toBe(before + 1)
    for (let n = 0; n < 3; n++) await store.createPet(PET, by)
    expect(commits(path)).toBe(before + 4)
    await store.close()
  })

  test('a pet is in the log when its create has resolved', async () => {
    const { path, store, by } = await storeWithKey()
    const {
      value: { id },
    } = await store.createPet({ ...PET, name: 'on disk' }, by)
    // What a crash would leave: the file and its log, without the memory of this process.
    const copy = temporaryFile('copy.db')
    for (const suffix of ['', '-wal']) writeFileSync(copy + suffix, readFileSync(path + suffix))
    const recovered = await openStore(copy, { now })
    expect((await recovered.getPet(id))?.name).toBe('on disk')
    await recovered.close()
    await store.close()
  })

  test('each pet keeps when and by which key it was added', async () => {
    const { path, store, by } = await storeWithKey()
    await store.createPet(PET, by)
    expect(new Database(path).query('SELECT created_at, created_by FROM pets').values()).toEqual([[1_234, Number(by)]])
    await store.close()
  })

  test('an id is not given twice, not even after a row was removed by hand', async () => {
    const { path, store, by } = await storeWithKey()
    const {
      value: { id },
    } = await store.createPet(PET, by)
    new Database(path).run('DELETE FROM pets')
    expect((await store.createPet(PET, by)).value.id).toBe(id + 1n)
    await store.close()
  })

  test('a reservation whose pet was changed by hand keeps no other from expiring', async () => {
    const path = temporaryFile('petstore.db')
    const clock = { at: 0 }
    const store = await openStore(path, { now: () => clock.at })
    const { id: by } = await store.createKey(newKey())
    for (const petId of [1n, 2n]) {
      await store.createPet(newPet({ status: 'available' }), by)
      await store.placeOrder({ petId, expiresAt: 5 }, by)
    }
    const hand = new Database(path)
    hand.run("UPDATE pets SET status = 'sold' WHERE id = 1")
    clock.at = 5
    expect(await store.expireOrders(10)).toEqual([{ id: 2n, petId: 2n }])
    expect((await store.getOrder(1n))?.status).toBe('pending')
    hand.run("UPDATE pets SET status = 'pending' WHERE id = 1")
    expect(await store.expireOrders(10)).toEqual([{ id: 1n, petId: 1n }])
    hand.close()
    await store.close()
  })

  test('one create that fails harms no other of its batch', async () => {
    const { store, by } = await storeWithKey()
    const nobody = 999n
    const creates = await Promise.allSettled([by, nobody, by].map((key) => store.createPet(PET, key)))
    expect(creates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(petsOf(await store.listPets({ limit: 5 })).length).toBe(2)
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
      expect(petsOf(await store.listPets({ limit: 1 }))).toEqual([])
    }
    const before = commits(path)
    expect((await store.createPet(PET, by, 'k')).replayed).toBe(false)
    expect(commits(path)).toBe(before + 1)
    other.close()
    await store.close()
  })

  test('are forgotten when their day is over, by whatever is added next', async () => {
    const path = temporaryFile('petstore.db')
    const clock = { at: 0 }
    const store = await openStore(path, { now: () => clock.at })
    const { id: by } = await store.createKey(newKey())
    await Promise.all(Array.from({ length: 900 }, (_, n) => store.createPet(PET, by, `k${n}`)))
    const kept = () => new Database(path).query('SELECT count(*) FROM idempotency_answers').values()[0]?.[0]
    clock.at = DAY_MS - 1
    for (let n = 0; n < 3; n++) await store.createPet(PET, by)
    expect(kept()).toBe(900)
    clock.at = DAY_MS
    for (let n = 0; n < 3; n++) await store.createPet(PET, by)
    expect(kept()).toBe(0)
    expect(petsOf(await store.listPets({ limit: 100 })).length).toBe(100)
    await store.close()
  })

  test('are forgotten behind others that a wrong clock dated later', async () => {
    const path = temporaryFile('petstore.db')
    const clock = { at: 365 * DAY_MS }
    const store = await openStore(path, { now: () => clock.at })
    const { id: by } = await store.createKey(newKey())
    const add = (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => store.createPet(PET, by, `${name} ${n}`)))
    const kept = () =>
      new Database(path).query('SELECT substr(key, 1, 5) AS k FROM idempotency_answers').values().flat()
    await add('ahead', 600)
    clock.at = 0
    await add('right', 600)
    clock.at = DAY_MS
    for (let n = 0; n < 4; n++) await store.createPet(PET, by)
    expect(kept()).toEqual(Array(600).fill('ahead'))
    // The clock was right about these: they are over in the end, too.
    clock.at = 366 * DAY_MS
    for (let n = 0; n < 4; n++) await store.createPet(PET, by)
    expect(kept()).toEqual([])
    await store.close()
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

describe('what others write', () => {
  test('is seen by a store that was opened while another process left', async () => {
    const path = await (async () => {
      const { path, store } = await storeWithKey()
      await store.close()
      return path
    })()
    for (let n = 0; n < 30; n++) {
      const leaving = Bun.spawn([process.execPath, '-e', LEAVE, path], { stdio: ['pipe', 'pipe', 'inherit'] })
      await leaving.stdout.getReader().read()
      leaving.stdin.end()
      const store = await openStore(path, { now })
      const other = new Database(path)
      await store.listPets({ limit: 100 })
      other.run("INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 1, 1)")
      expect(petsOf(await store.listPets({ limit: 100 })).length).toBe(n + 1)
      other.close()
      await store.close()
      await leaving.exited
    }
  })

  test('pages go on over ids that are missing', async () => {
    const { path, store, by } = await storeWithKey()
    await Promise.all(Array.from({ length: 9 }, () => store.createPet(PET, by)))
    const other = new Database(path)
    other.run('DELETE FROM pets WHERE id IN (1, 4, 5, 9)')
    const pages: bigint[][] = []
    for (let after: bigint | undefined = 0n; after !== undefined; ) {
      const page = await store.listPets({ limit: 2, after })
      pages.push(petsOf(page).map(({ id }) => id))
      after = page.next
    }
    expect(pages).toEqual([[2n, 3n], [6n, 7n], [8n]])
    other.close()
    await store.close()
  })

  test('is in the next page, and in the next answer about a key', async () => {
    const { path, store, by } = await storeWithKey()
    const other = await openStore(path, { now })
    const key = newKey()
    const { id } = await store.createKey(key)
    for (let n = 1; n <= 20; n++) {
      expect(petsOf(await store.listPets({ limit: 100 })).length).toBe(n - 1)
      const { value: pet } = await other.createPet(PET, by)
      expect(petsOf(await store.listPets({ limit: 100 })).at(-1)).toEqual(pet)
    }
    expect((await store.findKey(key.hash))?.revokedAt).toBeUndefined()
    await other.revokeKey(id)
    expect((await store.findKey(key.hash))?.revokedAt).toBe(1_234)
    await other.close()
    await store.close()
  })

  test('a transaction that holds the lock too long: unavailable, and nothing is added', async () => {
    const { path, store, by } = await storeWithKey()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    expect(await rejectionOf(store.createPet(PET, by))).toMatchObject({ code: 'unavailable' })
    expect(petsOf(await store.listPets({ limit: 1 }))).toEqual([])
    other.run('ROLLBACK')
    expect((await store.createPet(PET, by)).value.id).toBe(1n)
    other.close()
    await store.close()
  })

  test('a transaction of another process holds up no list, and a create only as long as it takes', async () => {
    const { path, store, by } = await storeWithKey()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    let added = false
    const creating = store.createPet(PET, by).then(() => {
      added = true
    })
    const closing = Bun.sleep(200).then(() => other.run('ROLLBACK'))
    const begun = performance.now()
    for (let n = 0; n < 20; n++) {
      expect(petsOf(await store.listPets({ limit: 1 }))).toEqual([])
      await Bun.sleep(1)
    }
    expect(performance.now() - begun).toBeLessThan(150)
    expect(added).toBe(false)
    await closing
    await store.close()
    await creating
    expect(other.query('SELECT count(*) AS n FROM pets').get()).toEqual({ n: 1 })
    other.close()
  })

  test('what waits for a transaction of another process happens after it, by the clock, too', async () => {
    const path = temporaryFile('petstore.db')
    const clock = { at: 1_000 }
    const store = await openStore(path, { now: () => clock.at })
    const { id: by } = await store.createKey(newKey())
    const [held, free] = await Promise.all([store.createPet(PET, by), store.createPet(PET, by)])
    const { value: order } = await store.placeOrder({ petId: held.value.id, expiresAt: 2_000 }, by)
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    const waiting = Promise.allSettled([
      store.completeOrder(order.id, by),
      store.placeOrder({ petId: free.value.id }, by),
    ])
    await Bun.sleep(20)
    clock.at = 2_000
    other.run('COMMIT')
    other.close()
    const [completed, placed] = await waiting
    expect(completed).toMatchObject({ reason: { code: 'order_not_pending' } })
    expect(placed).toMatchObject({ value: { value: { placedAt: 2_000 } } })
    await store.close()
  })

  test('a full disk: storage_full, and nothing is added', async () => {
    const connection = openConnection(temporaryFile('petstore.db'))
    const { database } = connection
    const store = sqliteStore(connection, { now })
    const { id: by } = await store.createKey(newKey())
    // SQLite's own bound on the file's size fails with the code that a full disk fails with.
    database.run(`PRAGMA max_page_count = ${database.query('PRAGMA page_count').values()[0]?.[0]}`)
    const large = { ...PET, name: 'x'.repeat(255) }
    const creates = await Promise.allSettled(Array.from({ length: 100 }, () => store.createPet(large, by)))
    for (const create of creates) expect(create).toMatchObject({ reason: { code: 'storage_full' } })
    expect(petsOf(await store.listPets({ limit: 1 }))).toEqual([])
    database.run('PRAGMA max_page_count = 1000000')
    expect((await store.createPet(large, by)).value.id).toBe(1n)
    await store.close()
  })
})

describe('reads that are done together', () => {
  test('outlive a transaction that ended under them, or could not begin', async () => {
    const connection = openConnection(temporaryFile('petstore.db'))
    const { database } = connection
    const read = reads(new Statements(connection))
    const one = () => database.query('SELECT 1').values().length
    const fails = (sql: string) => () => {
      database.run(sql)
      throw new Error('the disk failed')
    }
    for (const sql of ['ROLLBACK', 'COMMIT; BEGIN; COMMIT']) {
      const [bad, good] = await Promise.allSettled([read(fails(sql)), read(one)])
      expect([bad.status, good]).toEqual(['rejected', { status: 'fulfilled', value: 1 }])
      expect(database.inTransaction).toBe(false)
    }
    database.run('BEGIN')
    expect(await Promise.all([read(one), read(one)])).toEqual([1, 1])
    database.run('ROLLBACK')
    expect(await Promise.all([read(one), read(one)])).toEqual([1, 1])
    expect(database.inTransaction).toBe(false)
    connection.close()
  })
})

describe('a file that cannot serve is refused with a sentence, and stays as it was', () => {
  const made = async (): Promise<string> => {
    const { path, store, by } = await storeWithKey()
    for (let n = 0; n < 200; n++) await store.createPet({ ...PET, name: 'x'.repeat(200) }, by)
    await store.close()
    return path
  }
  const foreign = (path: string): void => {
    const database = new Database(path)
    database.run('CREATE TABLE pets (id)')
    database.close()
  }

  const cases: [string, () => Promise<string> | string, string][] = [
    ['text', () => written('Dear diary,\n'.repeat(100)), 'not a petstore database'],
    ['a few bytes', () => written('x'), 'not a petstore database'],
    ['a database of another program', () => touched(foreign), 'a database of another program'],
    [
      'a newer version',
      async () => {
        const path = await made()
        const database = new Database(path)
        database.run('PRAGMA user_version = 99')
        database.run('PRAGMA wal_checkpoint(TRUNCATE)')
        database.close()
        return path
      },
      'newer petstore (schema 99',
    ],
    [
      'pages overwritten',
      async () => {
        const path = await made()
        const bytes = readFileSync(path)
        bytes.fill(0xab, 4096 * 3, 4096 * 6)
        writeFileSync(path, bytes)
        return path
      },
      'damaged',
    ],
    [
      'the schema overwritten',
      async () => {
        const path = await made()
        const bytes = readFileSync(path)
        bytes.fill(0xab, 100, 4096)
        writeFileSync(path, bytes)
        return path
      },
      'damaged',
    ],
    [
      'cut short',
      async () => {
        const path = await made()
        truncateSync(path, statSync(path).size - 8192)
        return path
      },
      'damaged',
    ],
    [
      'read-only',
      async () => {
        const path = await made()
        chmodSync(path, 0o444)
        return path
      },
      'read-only',
    ],
  ]

  for (const [name, make, sentence] of cases) {
    test(name, async () => {
      const path = await make()
      const before = readFileSync(path)
      expect((await rejectionOf(openStore(path, { now }))).message).toContain(sentence)
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(existsSync(`${path}-wal`)).toBe(false)
    })
  }

  test('cut short, where it is too large to be read whole', async () => {
    const path = await made()
    const database = new Database(path)
    const row = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90000) INSERT INTO pets'
    database.run(
      `${row} (name, category_id, status, created_at, created_by) SELECT printf('%200d', i), 1, 'sold', 1, 1 FROM n`,
    )
    database.close()
    expect(statSync(path).size).toBeGreaterThan(17 * 1024 * 1024)
    truncateSync(path, statSync(path).size - 4096)
    expect((await rejectionOf(openStore(path, { now }))).message).toContain('damaged')
  })

  test('a folder', async () => {
    const path = temporaryFile('folder')
    mkdirSync(path)
    expect((await rejectionOf(openStore(path, { now }))).message).toContain('is not a file')
  })

  test('a place where no file can be', async () => {
    expect((await rejectionOf(openStore(`${written('x')}/petstore.db`, { now }))).message).toContain(
      'cannot be reached',
    )
  })

  test('an empty file is a new one', async () => {
    const store = await openStore(written(''), { now })
    expect((await store.createPet(PET, (await store.createKey(newKey())).id)).value.id).toBe(1n)
    await store.close()
  })
})

function written(text: string): string {
  return touched((path) => writeFileSync(path, text))
}

function touched(make: (path: string) => void): string {
  const path = temporaryFile('petstore.db')
  make(path)
  return path
}
