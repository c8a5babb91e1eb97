// The SQLite store: rules of every store, and rules that only a file has.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { now, PET, runOnFile, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { rows } from '../../../../../test/support/stores.ts'
import { TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { reads, Statements } from '../../../src/store/sqlite/connect/statements.ts'
import { searchThread } from '../../../src/store/sqlite/read/search.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { conformance } from '../conformance.ts'

conformance('SQLite', 50, async (options) => {
  const path = temporaryFile('petstore.db')
  const beside = () => openStore(path, { now: Date.now })
  const store = await openStore(path, { now: Date.now, ...options })
  return { store, beside, run: async (sql) => runOnFile(path, sql) }
})

describe('a file', () => {
  test('a file is in WAL mode and synced at every commit', () => {
    const connection = openConnection(temporaryFile('petstore.db'))
    const { database } = connection
    expect(database.query('PRAGMA journal_mode').values()).toEqual([['wal']])
    expect(database.query('PRAGMA synchronous').values()).toEqual([[2n]])
    connection.close()
  })

  // The Docker image has no folder for temporary files.
  test.skipIf(process.platform !== 'linux')('a file writes a commit to the log and to no temporary file', async () => {
    const { path, store, by } = await storeWithKey()
    using file = new Database(path)
    file.run(`WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
      INSERT INTO pets (name, category_id, status, created_at, created_by) SELECT 'Ada', n, 'available', 1, ${by} FROM number`)
    const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
    const logBytes = () => statSync(`${path}-wal`).size
    const before = { written: written(), logBytes: logBytes() }
    // Each pet is on another page of an index, and all are one statement.
    await Promise.all(Array.from(Array(64), (_, n) => store.createPet(newPet({ categoryId: BigInt(n * 300) }), by)))
    expect(written() - before.written).toBeLessThan(logBytes() - before.logBytes + 50_000)
    await store.close()
  })

  test('a file has no log after the search thread has failed, worked again and stopped', async () => {
    const path = temporaryFile('petstore.db')
    const connection = openConnection(path)
    const { query, stop } = searchThread(connection)
    // More statements than a connection caches.
    const search = () => Promise.all(Array.from({ length: 30 }, (_, n) => query(`SELECT ${n} FROM keys`)))
    await search()
    expect(await rejectionOf(query('SELECT abs(-9223372036854775808)'))).toMatchObject({
      message: expect.stringContaining('integer overflow'),
    })
    await search()
    await stop()
    connection.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  test('a file is closed after all calls have ended', async () => {
    // In memory, because a file would be opened again.
    const { store, by } = await storeWithKey(':memory:')
    const calls = [store.createPet(PET, by), store.createPet(PET, by), store.listKeys(), store.getPet(1n)]
    await store.close()
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'fulfilled'))
  })

  test('a file stores when and by which key each pet was added', async () => {
    const { path, store, by } = await storeWithKey()
    await store.createPet(PET, by)
    expect(new Database(path).query('SELECT created_at, created_by FROM pets').values()).toEqual([[1_234, Number(by)]])
    await store.close()
  })

  test('a file rejects creates with storage_full on a full disk, and adds nothing', async () => {
    const connection = openConnection(temporaryFile('petstore.db'))
    const { database } = connection
    const store = sqliteStore(connection, { now })
    const { id: by } = await store.createKey(newKey())
    // SQLite's limit of the file size gives the same code as a full disk.
    database.run(`PRAGMA max_page_count = ${database.query('PRAGMA page_count').values()[0]?.[0]}`)
    const large = { ...PET, name: 'x'.repeat(TEXT_LENGTH_MAX) }
    const creates = await Promise.allSettled(Array.from({ length: 100 }, () => store.createPet(large, by)))
    for (const create of creates) expect(create).toMatchObject({ reason: { code: 'storage_full' } })
    expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
    database.run('PRAGMA max_page_count = 1000000')
    expect((await store.createPet(large, by)).value.id).toBe(1n)
    await store.close()
  })
})

test('a connection that cannot roll back is replaced: the transaction adds nothing, and the next create succeeds', async () => {
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path)
  const store = sqliteStore(connection, { now })
  const key = newKey()
  const { id: by } = await store.createKey(key)
  // A disk cannot be made to fail exactly here.
  const { database } = connection
  const run = database.run.bind(database)
  database.run = (sql, ...parameters) => {
    if (sql === 'ROLLBACK') throw new Error('disk I/O error')
    return run(sql, ...parameters)
  }
  // The hash exists already.
  expect(await rejectionOf(store.createKey(key))).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  expect(database.inTransaction).toBe(true)
  expect((await store.createPet(newPet(), by)).value.id).toBe(1n)
  expect(connection.database).not.toBe(database)
  await store.close()
  expect(rows(path).map(({ length }) => length)).toEqual([1, 1, 3])
})

test('reads that share a transaction see one state of the store even if another process commits in between', async () => {
  const connection = openConnection(temporaryFile('petstore.db'))
  const read = reads(new Statements(connection))
  const count = () => connection.database.query('SELECT count(*) FROM keys').values()[0]?.[0]
  const other = new Database(connection.database.filename)
  const countAndCommit = () => {
    const counted = count()
    other.run("INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', 0, 1)")
    return counted
  }
  expect(await Promise.all([read(countAndCommit), read(count)])).toEqual([0n, 0n])
  expect(await read(count)).toBe(1n)
  other.close()
  connection.close()
})

test('reads that share a transaction succeed if their transaction ended early or could not begin', async () => {
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

test('calls that begin while the store is closed do not open the file again', async () => {
  const { path, store, by } = await storeWithKey()
  const search = () => store.listPets(petFilter({ search: PET.name, limit: 1 }))
  const outcomesOf = () =>
    Promise.allSettled([search(), store.createPet(PET, by)]).then((calls) => calls.map(({ status }) => status))
  expect(await outcomesOf()).toEqual(['fulfilled', 'fulfilled'])
  let isClosed = false
  const closing = store.close().then(() => {
    isClosed = true
  })
  const calls: Promise<unknown>[] = []
  while (!isClosed) {
    calls.push(outcomesOf())
    await Bun.sleep(0)
  }
  await closing
  await Promise.all(calls)
  for (let n = 0; n < 2; n++) expect(await outcomesOf()).toEqual(['rejected', 'rejected'])
  expect(readdirSync(dirname(path))).toEqual(['petstore.db'])
})
