// Search in both stores: the answers are those of a naive model, byte for byte the same, from the rows and from the index, whatever is added,
// renamed or removed meanwhile, by whichever server. endurance/search.ts is the long version.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { indexed, openShop, proveSearches, type Shop } from '../endurance/search.ts'
import type { Page } from '../src/domain/lists.ts'
import type { PetFilter } from '../src/domain/pets.ts'
import type { Store } from '../src/domain/store.ts'
import { createMetrics } from '../src/observability/metrics.ts'
import { openStore } from '../src/store/kinds.ts'
import { Memory } from '../src/store/search/memory.ts'
import { Demand } from '../src/store/search/turns.ts'
import { PETS } from '../src/store/shared/lists.ts'
import { openConnection } from '../src/store/sqlite/connection.ts'
import { sqliteSearchTables } from '../src/store/sqlite/search.ts'
import { reads, Statements } from '../src/store/sqlite/statements.ts'
import { temporaryFile } from './support/files.ts'
import { newKey } from './support/keys.ts'
import { orderFilter, petFilter } from './support/lists.ts'
import { expectPages, idsOf } from './support/paging.ts'
import { newPet } from './support/pets.ts'
import { sharedCluster } from './support/postgres.ts'
import { rejectionOf } from './support/rejection.ts'
import { modelFinds, randomOf } from './support/searches.ts'
import { startService } from './support/service.ts'

const SEGMENT = 64

test('a deleted pet, also the newest, costs the next search few rows', async () => {
  const path = temporaryFile('search.db')
  const store = await openStore(path, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await Promise.all(Array.from({ length: 2_000 }, () => store.createPet(newPet(), by)))
  const connection = openConnection(path)
  const statements = new Statements(connection)
  const tables = sqliteSearchTables(statements, reads(statements), async (work) => work(), PETS, 32_768)
  let [read, asked] = [0, 0]
  const memory = new Memory(
    {
      ...tables,
      async news(known, limit) {
        const news = await tables.news(known, limit)
        read += news.rows.length
        asked++
        return news
      },
    },
    32_768,
    new Demand(),
  )
  const lastOf = async () => {
    const { rows, end } = await memory.read()
    return rows.idAt(end - 1)
  }
  expect(await lastOf()).toBe(2_000n)
  expect(read).toBeGreaterThan(1_999)
  read = asked = 0
  const deleted = [1_000n, ...Array.from({ length: 300 }, (_, n) => 2_000n - BigInt(n))]
  await Promise.all(deleted.map((id) => store.deletePet(id, by)))
  expect(await lastOf()).toBe(1_700n)
  expect(read).toBeLessThan(1_000)
  expect(asked).toBeLessThan(20)
  // Changes that the index has taken are forgotten.
  const database = new Database(path)
  for (let n = 0; n < 4; n++) database.run(`UPDATE pets SET name = name || ${n}`)
  expect((await memory.read()).changed.size).toBe(1_699)
  database.run(`INSERT INTO search_changes (list, row_id)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000) SELECT 0, n + 10000 FROM numbers`)
  expect((await memory.read()).changed.size).toBe(10_699)
  database.run('DELETE FROM search_changes WHERE id <= (SELECT max(id) - 1000 FROM search_changes)')
  expect((await memory.read()).changed.size).toBe(1_000)
  expect(await lastOf()).toBe(1_700n)
  database.close()
  connection.close()
  await store.close()
})

describe('both stores', () => {
  const random = randomOf(3)
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop(600, SEGMENT, random)
  })
  afterAll(() => shop.close())

  test('answer as a naive model does, and byte for byte the same', async () => {
    const { faults, found } = await proveSearches(shop, 500, random)
    expect(faults).toEqual([])
    expect(found).toBeGreaterThan(1_000)
  })

  test('go forth and back through what is found', async () => {
    for (const search of ['a', 'bis', 'e', '王', '1', 'x y'])
      for (const sort of ['oldest', 'newest'] as const)
        for (const store of Object.values(shop.stores)) {
          const of = (items: { id: bigint; text: string }[]) => {
            const ids = items.filter(({ text }) => modelFinds(text, search)).map(({ id }) => id)
            return sort === 'newest' ? ids.reverse() : ids
          }
          await expectPages(of(shop.pets), 13, (place) =>
            store.listPets(petFilter({ limit: 13, search, sort, ...place })),
          )
          await expectPages(of(shop.orders), 9, (place) =>
            store.listOrders(orderFilter({ limit: 9, search, sort, ...place })),
          )
        }
  })
})

const STORES = {
  SQLite: async () => temporaryFile('search.db'),
  PostgreSQL: async () => (await sharedCluster()).newDatabase(),
}

describe.each(Object.entries(STORES))('on %s', (name, newAddress) => {
  const options = { now: Date.now, searchSegment: SEGMENT, searchEveryMs: 20 }
  let address: string
  let one: Store | undefined
  let other: Store | undefined
  let by: bigint
  const found = async (store: Store | undefined, search: string, more = {}): Promise<bigint[]> =>
    idsOf((await store?.listPets(petFilter({ limit: 100, search, ...more }))) as Page)
  const all = async (search: string, sort: 'oldest' | 'newest') => {
    const ids: bigint[] = []
    for (let after: bigint | undefined; ; ) {
      const page = (await one?.listPets(petFilter({ limit: 100, search, sort, after }))) as Page
      ids.push(...idsOf(page))
      after = page.next
      if (after === undefined) return ids
    }
  }
  const foundOrders = async (search: string) =>
    idsOf((await other?.listOrders(orderFilter({ limit: 100, search }))) as Page)
  const add = async (name: string) => (await (one as Store).createPet(newPet({ name }), by)).value.id

  beforeAll(async () => {
    address = await newAddress()
    one = await openStore(address, options)
    other = await openStore(address, options)
    by = (await one.createKey(newKey())).id
    await Promise.all(Array.from({ length: 3 * SEGMENT }, (_, n) => add(n % 10 ? `Rex ${n}` : `Rare ${n}`)))
  })
  afterAll(async () => void (await Promise.all([one?.close(), other?.close()])))

  const run = async (sql: string): Promise<Record<string, unknown>[]> => {
    if (name === 'PostgreSQL')
      return (await sharedCluster()).asAdmin((admin) => admin.unsafe(sql), new URL(address).pathname.slice(1))
    const database = new Database(address, { safeIntegers: true })
    const rows = database.query(sql).all() as Record<string, unknown>[]
    database.close()
    return rows
  }
  const segments = async () =>
    (await run('SELECT segment FROM search_segments WHERE list = 0 ORDER BY segment')).map(({ segment }) =>
      BigInt(segment as bigint),
    )

  test('what was added is found at once, on every server, before and while it gets into the index', async () => {
    const ids: bigint[] = []
    for (let n = 0; (await segments()).length < 3 || n < 40; n++) {
      ids.push(await add(`Ünïque ${n}`))
      expect(await found(other, 'unique', { sort: 'newest' })).toEqual(ids.toReversed().slice(0, 100))
      expect(await found(other, `UNI ${n}`)).toContain(ids.at(-1) as bigint)
      if (n > 40) await Bun.sleep(20)
      if (n > 60) ids.splice(0, ids.length - 1)
      if (n > 60) break
    }
    while ((await segments()).length < 2) await Bun.sleep(50)
    expect((await segments()).slice(0, 2)).toEqual([0n, 1n])
    expect((await found(one, 'rare')).length).toBe(20)
  })

  test('what a failover takes from the end of the index is read from the rows again', async () => {
    const whole = await found(one, 'rare')
    await found(other, 'rare')
    const last = `list = 0 AND segment = ${(await segments()).at(-1)}`
    for (const table of ['search_terms', 'search_segments']) await run(`DELETE FROM ${table} WHERE ${last}`)
    for (const store of [one, other]) expect(await found(store, 'rare')).toEqual(whole)
  })

  test('a corrected name is found by its new words and no longer by the old, with its orders; so is a reference', async () => {
    const early = 11n
    const late = await add('Later Dog')
    for (const petId of [early, late]) await one?.placeOrder({ petId, reference: `Anna ${petId}` }, by)
    const orders = await foundOrders('anna')
    expect(await foundOrders('later anna')).toEqual(orders.slice(1))
    await run(`UPDATE pets SET name = 'Corrected Zebra' WHERE id = ${early}`)
    expect(await foundOrders('zeb an')).toEqual(orders.slice(0, 1))
    await run(`UPDATE pets SET name = 'Corrected Zebra' WHERE id = ${late}`)
    for (const store of [one, other]) {
      expect(await found(store, 'zebra')).toEqual([early, late])
      expect(await found(store, 'zebra', { sort: 'newest', limit: 1 })).toEqual([late])
      expect(await found(store, 'later')).toEqual([])
      expect(await found(store, 'rare 10')).toEqual([101n])
    }
    expect(await foundOrders('zeb an')).toEqual(orders)
    await run(`UPDATE orders SET reference = 'Berta' WHERE pet_id = ${early}`)
    expect(await foundOrders('berta')).toEqual(orders.slice(0, 1))
    expect(await foundOrders('anna')).toEqual(orders.slice(1))
    await run(`UPDATE orders SET reference = NULL WHERE pet_id = ${early}`)
    expect(await foundOrders('berta')).toEqual([])
    await run(`UPDATE orders SET reference = 'Carla' WHERE pet_id = ${early}`)
    expect(await foundOrders('carla')).toEqual(orders.slice(0, 1))
    expect(await foundOrders('corrected')).toEqual(orders)
  })

  test('a pet that is gone is not found, wherever it was', async () => {
    const late = await add('Gone Soon')
    await found(other, 'gone')
    await run(`UPDATE pets SET name = 'Gone Early' WHERE id = 21`)
    expect(await found(other, 'gone')).toEqual([21n, late])
    await run(`DELETE FROM pets WHERE id IN (21, 22, ${late})`)
    for (const store of [one, other]) expect(await found(store, 'gone')).toEqual([])
    const next = await add('Gone Next')
    expect(await found(other, 'gone')).toEqual([next])
  })

  test('pages forth and back beside writers have nothing twice, and miss nothing that was there', async () => {
    let writing = true
    const writers = Array.from({ length: 4 }, async (_, n) => {
      // The index of so small segments must keep up.
      for (let at = 0; writing && at < 60; at++) await add(`Beside ${n} ${at}`).then(() => Bun.sleep(20))
    })
    for (let round = 0; round < 6; round++)
      for (const sort of ['oldest', 'newest'] as const) {
        const before = await all('beside', sort)
        const seen: bigint[] = []
        let page = (await other?.listPets(petFilter({ limit: 20, search: 'beside', sort }))) as Page
        for (seen.push(...idsOf(page)); page.next !== undefined; seen.push(...idsOf(page)))
          page = (await one?.listPets(petFilter({ limit: 20, search: 'beside', sort, after: page.next }))) as Page
        expect(new Set(seen).size).toBe(seen.length)
        expect(new Set(before).difference(new Set(seen)).size).toBe(0)
        const back = idsOf(page)
        while (page.prev !== undefined) {
          page = (await other?.listPets(
            petFilter({ limit: 7, search: 'beside', sort, after: page.prev, back: true }),
          )) as Page
          back.unshift(...idsOf(page))
        }
        expect(back.slice(-seen.length)).toEqual(seen)
      }
    writing = false
    await Promise.all(writers)
  })

  test('a search after a large import, of which the index has nothing yet, is answered from the rows', async () => {
    const imported = await newAddress()
    // One that never fills a segment of so many.
    const importing = await openStore(imported, { ...options, searchSegment: 32_768 })
    const { id } = await importing.createKey(newKey())
    const pet = (n: number) => newPet({ name: n % 10 ? `Rex ${n}` : `Rare ${n}` })
    await Promise.all(Array.from({ length: 300 }, (_, n) => importing.createPet(pet(n), id)))
    await importing.close()
    const server = await openStore(imported, { ...options, searchSegment: 16 })
    expect((await found(server, 'rare')).length).toBe(30)
    await server.close()
  })

  test('while the index is missing, a search says how far it is, and lists go on', async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => add(`Old ${n}`)))
    const old = await openStore(address, { ...options, searchSegment: 8 })
    const refused = await rejectionOf(old.listPets(petFilter({ limit: 1, search: 'rex' })))
    expect(refused).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The index of search is being built, \d+ % of it is there\./),
    })
    expect(idsOf(await old.listPets(petFilter({ limit: 1 })))).toEqual([1n])
    await old.close()
  })

  test('a store that was never indexed is indexed while it is served', async () => {
    // They may be writing what is removed here by hand.
    await Promise.all([one?.close(), other?.close()])
    one = other = undefined
    await run('DELETE FROM search_segments')
    await run('DELETE FROM search_terms')
    const server = await openStore(address, options)
    await indexed(server)
    while ((await segments()).length < 3) await Bun.sleep(50)
    const fresh = await openStore(address, options)
    expect((await found(fresh, 'rare')).length).toBe(18)
    await fresh.close()
    await server.close()
  })

  test('old changes of names move into the index, and what older versions have indexed is deleted after a day', async () => {
    address = await newAddress()
    let day = 0
    let looks = 0
    const onUnindexed = (list: string) => {
      if (list === 'pets') looks++
    }
    // Two segments.
    const large = { ...options, searchSegment: 512 }
    const opened = { ...large, monotonic: () => performance.now() + day, onUnindexed }
    const [server, beside] = [await openStore(address, opened), await openStore(address, large)]
    const { id } = await server.createKey(newKey())
    const count = 1_024
    await Promise.all(Array.from({ length: count }, (_, n) => server.createPet(newPet({ name: `Rex ${n}` }), id)))
    while ((await segments()).length < 2) await Bun.sleep(50)
    expect(await found(beside, 'zebra')).toEqual([])
    const changes = async () => Number((await run('SELECT count(*) AS n FROM search_changes'))[0]?.n)
    const old = (table: string) => run(`SELECT folding FROM ${table} WHERE folding = 0`)
    // Servers of another version need the changes.
    await run(`INSERT INTO search_segments (list, folding, segment) VALUES (0, 0, 1)`)
    await run(`INSERT INTO search_terms (list, folding, segment, term, ids)
      SELECT 0, 0, 1, term, ids FROM search_terms WHERE segment = 1 AND term = 'rex'`)
    await run(`UPDATE pets SET name = 'Zebra ' || id`)
    expect((await found(beside, 'zebra')).length).toBe(100)
    await run(`UPDATE pets SET name = 'Zebu ' || id WHERE id <= 20`)
    // Whoever looks again has looked before.
    for (const until = looks + 2; looks < until; ) await Bun.sleep(50)
    expect(await changes()).toBe(count + 20)
    expect((await old('search_terms')).length).toBe(1)
    day = 86_400_000
    while ((await old('search_terms')).length + (await old('search_segments')).length > 0) await Bun.sleep(50)
    while ((await changes()) > 1_000) await Bun.sleep(50)
    expect(await changes()).toBe(1_000)
    const fresh = await openStore(address, large)
    for (const store of [server, beside, fresh]) {
      expect(await found(store, 'zebu 7')).toEqual([7n])
      const hundreds = Array.from({ length: 10 }, (_, n) => BigInt(400 + n))
      expect(await found(store, 'zebra 40')).toEqual([40n, ...hundreds])
      expect(await found(store, 'rex 7')).toEqual([])
      await store.close()
    }
  })
})

test('a search before its index is 503 with what to expect, and no failure in the log or in the metrics', async () => {
  const store = await openStore(':memory:', { now: Date.now, searchSegment: 8 })
  const { id } = await store.createKey(newKey())
  await Promise.all(Array.from({ length: 1_000 }, () => store.createPet(newPet(), id)))
  const counted: [string, number][] = []
  const metrics = { ...createMetrics(), request: (label: string, status: number) => void counted.push([label, status]) }
  const service = await startService({ store, metrics })
  const { status, headers, text } = await service.get('/pets?search=rex')
  expect([status, headers.get('Retry-After')]).toEqual([503, '1'])
  expect(JSON.parse(text)).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Lists without search work.'),
  })
  expect((await service.get('/pets')).status).toBe(200)
  expect(counted).toEqual([
    ['search before its index', 503],
    ['listPets', 200],
  ])
  expect(service.logged.join('')).not.toContain('failed')
  await service.stop()
})

test('a search whose filters leave out all that it finds ends after 100 000 rows, and says what to do', async () => {
  const path = temporaryFile('search.db')
  const store = await openStore(path, { now: Date.now })
  await store.createKey(newKey())
  const database = new Database(path)
  database.run(`INSERT INTO pets (name, category_id, status, created_at, created_by)
    SELECT CASE n % 2 WHEN 0 THEN 'Alpha ' ELSE 'Beta ' END || n, 1, CASE n % 2 WHEN 0 THEN 'sold' ELSE 'available' END, 1, 1
    FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 240000) SELECT n FROM numbers)`)
  database.close()
  const find = (more: Partial<PetFilter>) => store.listPets(petFilter({ limit: 2, search: 'alpha', ...more }))
  const refused = await rejectionOf(find({ status: 'available' }))
  expect(refused).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('100000 rows') })
  expect(idsOf(await find({ status: 'sold' }))).toEqual([2n, 4n])
  expect(idsOf(await find({ status: 'pending' }))).toEqual([])
  expect(idsOf(await find({ search: 'alpha 24000', sort: 'newest' }))).toEqual([240_000n, 24_000n])
  await store.close()
})

test('a search with a filter finds names that SQLite folds in other ways, or ends at U+0000', async () => {
  const store = await openStore(':memory:', { now: Date.now })
  const { id } = await store.createKey(newKey())
  for (const name of ['ab\0Zebra', 'ZÉBRA', 'zebu', 'ZEBRA "1"'])
    await store.createPet(newPet({ name, status: 'sold' }), id)
  const find = async (search: string) => idsOf(await store.listPets(petFilter({ limit: 9, search, status: 'sold' })))
  expect(await find('zebra')).toEqual([1n, 2n, 4n])
  expect(await find('zébr 1')).toEqual([4n])
  await store.close()
})

const strace = Bun.which('strace')
test.skipIf(!strace)(
  `the index of a file is written without a sync, and a create after it with one${strace ? '' : ' (strace is not installed)'}`,
  async () => {
    const [path, trace] = [temporaryFile('search.db'), temporaryFile('trace')]
    const program = `
      const { openStore } = await import(${JSON.stringify(require.resolve('../src/store/kinds.ts'))})
      const { fsyncSync, openSync } = await import('node:fs')
      const store = await openStore(${JSON.stringify(path)}, { now: Date.now, searchSegment: 64 })
      const add = (n) => store.createPet({ name: 'Pet ' + n.toString(36).repeat(99), status: 'available', categoryId: 0n }, 1n)
      const { Database } = await import('bun:sqlite')
      await add(0)
      const mark = () => fsyncSync(openSync(${JSON.stringify(`${path}.mark`)}, 'w'))
      mark()
      const database = new Database(${JSON.stringify(path)})
      while (database.query('SELECT count(*) FROM search_segments').values()[0][0] < 8) await Bun.sleep(20)
      mark()
      await add(0)
      mark()
      process.exit(0)`
    const store = await openStore(path, { now: Date.now, searchSegment: 64 })
    const { id } = await store.createKey(newKey())
    await Promise.all(Array.from({ length: 8 * 64 }, (_, n) => store.createPet(newPet({ name: `Pet ${n}` }), id)))
    await store.close()
    const command = [
      strace as string,
      '-f',
      '-y',
      '--seccomp-bpf',
      '-o',
      trace,
      '-e',
      'trace=fsync,fdatasync',
      process.execPath,
    ]
    const { exitCode, stderr } = Bun.spawnSync([...command, '-e', program])
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    const [, indexing = '', creating = ''] = (await Bun.file(trace).text()).split(/.*\.mark>.*/)
    expect(indexing.match(/-wal>/g) ?? []).toEqual([])
    expect(creating).toContain('-wal>')
  },
)
