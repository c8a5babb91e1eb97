// Search on both stores: every response equals that of a naive model, and searches do not delay other requests: SQLite runs
// them in a thread, PostgreSQL on some of its connections.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type postgres from 'postgres'
import { openShop, proveSearches } from '../../../../endurance/search.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { petFilter } from '../../../../test/support/lists.ts'
import { idsOf } from '../../../../test/support/paging.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { databaseOf, sharedCluster, untilWaiting } from '../../../../test/support/postgres.ts'
import { modelWords, randomOf } from '../../../../test/support/search-rules.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/kinds.ts'

/** `npm run endurance -- letters` */
const ALL_LETTERS = process.env.LETTERS === 'all'
/** `npm run endurance -- search` */
const [NAMES, SEARCHES] = process.env.SEARCHES === 'all' ? [20_000, 10_000] : [600, 500]

test('both stores respond like a naive model, with the same bytes', async () => {
  const random = randomOf(3)
  const shop = await openShop(NAMES, random)
  const { faults, found } = await proveSearches(shop, SEARCHES, random)
  expect(faults).toEqual([])
  expect(found).toBeGreaterThan(1_000)
  await shop.close()
})

/** How many searches run at the same time. */
const TOGETHER = 8
const STORES = {
  SQLite: async () => temporaryFile('search.db'),
  // Searches do not depend on this setting of the database.
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

  test('finds names of one long word, of Chinese characters or of ligatures by all of their text', async () => {
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

  test('finds a pet that got the id of a pet lost in a failover, and not the lost pet', async () => {
    const lost = await add('Shown Then Lost')
    for (const store of [one, other]) expect(await found('lost', {}, store)).toEqual([lost])
    // Like a standby without the last commit.
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

  test(`finds ${ALL_LETTERS ? 'every' : 'every tenth'} letter and digit of Unicode inside a name`, async () => {
    // Letters that join words, letters that are a word on their own, and letters that become several words.
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
})

test('SQLite: a request gets its response before an earlier search', async () => {
  const store = await openStore(temporaryFile('search.db'), { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet({ name: 'Rex' }), by)
  const answered: string[] = []
  await Promise.all([
    ...Array.from({ length: TOGETHER }, async () => {
      expect(idsOf(await store.listPets(petFilter({ limit: 20, search: 'rex' })))).toEqual([1n])
      answered.push('search')
    }),
    store.listPets(petFilter({ limit: 20 })).then(() => answered.push('list')),
    store.getPet(1n).then(() => answered.push('pet')),
  ])
  expect(answered.slice(0, 2).toSorted()).toEqual(['list', 'pet'])
  await store.close()
})

test('PostgreSQL: blocked searches leave connections for other requests', async () => {
  const cluster = await sharedCluster()
  const address = await cluster.newStore()
  const store = await openStore(`${address}?connections=4`, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet({ name: 'Rex' }), by)
  const search = async () => idsOf(await store.listPets(petFilter({ limit: 20, search: 'rex' })))
  const searching = async (sql: postgres.TransactionSql) => {
    const searches = Promise.allSettled(Array.from({ length: TOGETHER }, search))
    await untilWaiting(sql, 1, 'relation')
    for (let n = 0; n < TOGETHER; n++) expect(idsOf(await store.listPets(petFilter({ limit: 20 })))).toEqual([1n])
    expect((await untilWaiting(sql, 0, 'relation')).length).toBeLessThanOrEqual(1)
    return [searches]
  }
  const waiting = await cluster.locked(address, searching, 'LOCK TABLE search_pets IN ACCESS EXCLUSIVE MODE')
  await Promise.all(waiting)
  expect(await search()).toEqual([1n])
  await store.close()
})
