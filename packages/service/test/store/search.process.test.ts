// Search in both stores: the answers are those of a naive model, byte for byte the same, whatever is added, renamed or removed meanwhile, by
// whichever server.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Operation } from '../../../../endurance/history/operations.ts'
import { recordPiece } from '../../../../endurance/history/record.ts'
import { inWords } from '../../../../endurance/history/words.ts'
import { openShop, proveSearches, type Shop } from '../../../../endurance/search.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { orderFilter, petFilter } from '../../../../test/support/lists.ts'
import { expectPages, idsOf } from '../../../../test/support/paging.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../test/support/postgres.ts'
import { modelFinds, modelWords, randomOf } from '../../../../test/support/search-rules.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import type { Page } from '../../src/domain/lists.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/kinds.ts'

/** `npm run endurance -- letters` */
const ALL_LETTERS = process.env.LETTERS === 'all'
/** `npm run endurance -- search` */
const [NAMES, SEARCHES] = process.env.SEARCHES === 'all' ? [20_000, 10_000] : [600, 500]

describe('both stores', () => {
  const random = randomOf(3)
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop(NAMES, random)
  })
  afterAll(() => shop.close())

  test('answer as a naive model does, and byte for byte the same', async () => {
    const { faults, found } = await proveSearches(shop, SEARCHES, random)
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

const STATUSES = ['pending', 'sold']
const STORES = {
  SQLite: async () => temporaryFile('search.db'),
  // Whatever the database's own settings say of bytes, words are found.
  PostgreSQL: async () => {
    const cluster = await sharedCluster()
    const address = await cluster.newStore()
    await cluster.run(`ALTER DATABASE ${databaseOf(address)} SET bytea_output = 'escape'`)
    return address
  },
}

function lettersOfUnicode(): string[] {
  const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
  return codes.map((code) => String.fromCodePoint(code)).filter((letter) => /[\p{L}\p{N}]/u.test(letter))
}

function chunks<Of>(of: readonly Of[], size: number): Of[][] {
  return Array.from({ length: Math.ceil(of.length / size) }, (_, n) => of.slice(n * size, (n + 1) * size))
}

describe.each(Object.entries(STORES))('on %s', (name, newAddress) => {
  let address: string
  let one: Store
  let other: Store
  let by: bigint
  const found = async (search: string, more = {}, store = other) =>
    idsOf(await store.listPets(petFilter({ limit: 100, search, ...more })))
  const foundOrders = async (search: string) => idsOf(await other.listOrders(orderFilter({ limit: 100, search })))
  const add = async (name: string, more = {}) => (await one.createPet(newPet({ name, ...more }), by)).value.id

  beforeAll(async () => {
    address = await newAddress()
    one = await openStore(address, { now: Date.now })
    other = await openStore(address, { now: Date.now })
    by = (await one.createKey(newKey())).id
  })
  afterAll(async () => void (await Promise.all([one.close(), other.close()])))

  const run = async (sql: string): Promise<Record<string, unknown>[]> => {
    if (name === 'PostgreSQL') return (await sharedCluster()).run(sql, address)
    const database = new Database(address, { safeIntegers: true })
    const rows = database.query(sql).all() as Record<string, unknown>[]
    database.close()
    return rows
  }

  test('names of one long word, of Chinese characters or of ligatures are found by all of it', async () => {
    const long = (end: string) => `${'a1'.repeat(20)}${end}`
    const han = (...codes: number[]) => codes.map((code) => String.fromCodePoint(0x4e00 + code)).join('')
    const wide = '\uac01'.repeat(TEXT_LENGTH_MAX)
    const ids: bigint[] = []
    for (let n = 0; n < 300; n++)
      ids.push(await add(n % 2 ? long(`${n}`) : han(...Array.from({ length: 16 }, (_, at) => (at * 7 + n) % 23))))
    expect(await found(long('299'))).toEqual([ids[299] as bigint])
    expect(await found(long('').toUpperCase())).toHaveLength(100)
    expect(await found(han(...Array.from(Array(16), (_, at) => (at * 7 + 298) % 23)))).toContain(ids[298] as bigint)
    const [ligatures, words] = [await add('\ufdfa'.repeat(TEXT_LENGTH_MAX)), await add(wide)]
    expect(await found('\ufdfa \ufdfa \ufdfa')).toEqual([ligatures])
    expect(await found(wide)).toEqual([words])
    expect(await found(wide.slice(0, 200), { status: 'available' })).toEqual([words])
    expect(await found(`${wide.slice(1)}a`)).toEqual([])
    expect(await found(`${'\uac01'.repeat(254)}\uac02`)).toEqual([])
  })

  test('many that were renamed or deleted cost nothing: what is left of their word is found', async () => {
    const ids = await Promise.all(Array.from({ length: 400 }, (_, n) => add(`Plenty ${n}`)))
    // Few at a time: who waits too long for a connection of PostgreSQL is refused.
    const change = (id: bigint, n: number) =>
      n % 2 ? one.deletePet(id, by) : one.updatePet(id, { name: `Fewer ${id}` }, by)
    for (let at = 0; at < 300; at += 10) await Promise.all(ids.slice(at, at + 10).map(change))
    expect(await found('plenty')).toEqual(ids.slice(300))
    expect(await found('plenty 399')).toEqual([ids[399] as bigint])
    expect((await found('fewer')).length).toBe(100)
  })

  test('words, and filters, that never stand together are answered with what there is', async () => {
    const addOne = (n: number) =>
      add(n % 2 ? `Even ${n}` : `Odd ${n}`, { categoryId: BigInt(100 + (n % 2)), status: STATUSES[n % 2] })
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => addOne(n)))
    expect(await found('even odd')).toEqual([])
    for (const sort of ['oldest', 'newest'] as const) {
      expect(await found('even', { sort, status: 'pending' })).toEqual([])
      expect(await found('even', { sort, categoryId: 100n })).toEqual([])
      expect(await found('even', { sort, categoryId: 100n, status: 'sold' })).toEqual([])
      expect(await found('even', { sort, categoryId: 101n, status: 'sold' })).toHaveLength(100)
    }
    expect((await found('even 29', { status: 'sold' })).length).toBe(56)
    expect(await found('e v o d n 1 2 3')).toEqual([])
  })

  test('what many have at once behind many others is found in order', async () => {
    const [others, wanted] = [{ categoryId: 300n }, { categoryId: 301n }]
    const addAll = (count: number, text: string, more: object) =>
      Promise.all(Array.from({ length: count }, (_, n) => add(`${text} ${n}`, more)))
    await addAll(300, 'Elsewhere', wanted)
    await addAll(1_400, 'Behind', others)
    const ids = await addAll(1_500, 'Behind', wanted)
    expect(await found('behind', wanted)).toEqual(ids.slice(0, 100))
    expect(await found('behind', { ...wanted, sort: 'newest' })).toEqual(ids.slice(-100).reverse())
    expect(await found('behind 1499', wanted)).toEqual(ids.slice(-1))
  })

  test('what a failover takes is not found, and what is written in its place is', async () => {
    const lost = await add('Shown Then Lost')
    for (const store of [one, other]) expect(await found('lost', {}, store)).toEqual([lost])
    // As a standby is that lacks the last commit.
    await run(`DELETE FROM events WHERE pet_id = ${lost}`)
    await run(`DELETE FROM search_pets WHERE ${name === 'SQLite' ? 'rowid' : 'id'} = ${lost}`)
    await run(`DELETE FROM pets WHERE id = ${lost}`)
    const [inFile, inDatabase] = [`UPDATE sqlite_sequence SET seq = ${lost - 1n} WHERE name = 'pets'`, 'pets_id_seq']
    await run(name === 'SQLite' ? inFile : `SELECT setval('${inDatabase}', ${lost}, false)`)
    expect(await add('Another Instead')).toBe(lost)
    for (const store of [one, other]) {
      expect(await found('lost', {}, store)).toEqual([])
      expect(await found('instead', {}, store)).toEqual([lost])
    }
  })

  test('corrections of one order leave nothing behind', async () => {
    const petId = await add('Amended often')
    const { value: order } = await one.placeOrder({ petId, reference: 'first' }, by)
    for (let n = 0; n < 300; n++) await one.updateOrder(order.id, { reference: `often ${n}` }, by)
    expect(await foundOrders('often 299')).toEqual([order.id])
    expect(await foundOrders('first')).toEqual([])
    const rows = await run(`SELECT id FROM ${name === 'SQLite' ? 'search_orders_docsize' : 'search_orders'}`)
    const orders = await run('SELECT id FROM orders')
    expect(rows.length).toBe(orders.length)
  })

  test(`${ALL_LETTERS ? 'each' : 'one in ten'} of the letters and digits of Unicode inside a name is found`, async () => {
    // Those that are written as one word with others, those that are words of their own, and those that separate, too.
    const kindOf = (letter: string) => {
      if (modelWords(`a${letter}${letter}a`).written === 1) return 'inside'
      return modelWords(letter.repeat(2)).written === 1 ? 'alone' : 'several'
    }
    const letters = lettersOfUnicode().filter((_, n) => ALL_LETTERS || n % 10 === 0)
    const { inside = [], alone = [], several = [] } = Object.groupBy(letters, kindOf)
    const names = [...chunks(inside, 200), ...chunks(alone, 200)]
    const separate = several.map((letter, n) => `several${n} q${letter}q`)
    const texts = [...names.map((some) => `q${some.join('')}q`), ...separate]
    const missed: string[] = []
    for (const some of chunks(texts, 50)) {
      const ids = await Promise.all(some.map((text) => add(text)))
      for (const [n, text] of some.entries()) if (!(await found(text)).includes(ids[n] as bigint)) missed.push(text)
    }
    expect(missed).toEqual([])
    expect(inside.length + alone.length).toBeGreaterThan(ALL_LETTERS ? 100_000 : 10_000)
  })

  test('pages forth and back beside writers have nothing twice, and miss nothing that was there', async () => {
    let writing = true
    const writers = Array.from({ length: 4 }, async (_, n) => {
      for (let at = 0; writing && at < 60; at++) await add(`Beside ${n} ${at}`).then(() => Bun.sleep(20))
    })
    const all = async (sort: 'oldest' | 'newest') => {
      const ids: bigint[] = []
      for (let page: Page | undefined; !page || page.next !== undefined; ids.push(...idsOf(page)))
        page = await one.listPets(petFilter({ limit: 100, search: 'beside', sort, after: page?.next }))
      return ids
    }
    for (let round = 0; round < 4; round++)
      for (const sort of ['oldest', 'newest'] as const) {
        const before = await all(sort)
        const seen: bigint[] = []
        let page = await other.listPets(petFilter({ limit: 20, search: 'beside', sort }))
        for (seen.push(...idsOf(page)); page.next !== undefined; seen.push(...idsOf(page)))
          page = await one.listPets(petFilter({ limit: 20, search: 'beside', sort, after: page.next }))
        expect(new Set(seen).size).toBe(seen.length)
        expect(new Set(before).difference(new Set(seen)).size).toBe(0)
      }
    writing = false
    await Promise.all(writers)
  })

  test('killed under changes, every answer is what one order of all changes gives', async () => {
    const kind = name === 'SQLite' ? 'sqlite' : 'postgres'
    const { faults, operations } = await recordPiece(kind, { seed: 11, operations: 800, breaks: ['a server killed'] })
    expect(faults.map(inWords)).toEqual([])
    const isSearch = ({ ask, status }: Operation) => ask.kind === 'list' && ask.search !== undefined && status === 200
    expect(operations.filter(isSearch).length).toBeGreaterThan(10)
  })
})
