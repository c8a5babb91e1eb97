// `petstore recovered`, after a store was restored to an earlier state by other means: no id is reused, on both
// stores.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, readFileSync } from 'node:fs'
import { ended } from '../../../../test/support/ended.ts'
import { allEvents, eventFilter } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../test/support/postgres.ts'
import { type Running, run, serve } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { runOnFile } from '../../../../test/support/sqlite.ts'
import { openTerminal } from '../../../../test/support/terminal.ts'
import type { ApiKey } from '../../src/domain/keys.ts'
import { noStoreAt } from '../../src/domain/start-error.ts'
import type { Store } from '../../src/domain/store.ts'
import { kindOf, openStore } from '../../src/store/kinds.ts'

const cluster = await sharedCluster()

interface Kind {
  newAddress(): Promise<string>
  /** Copies a store that is not in use. */
  copy(address: string): Promise<string>
  run(address: string, sql: string): Promise<readonly { id?: unknown }[]>
  /** SQL that reads or sets the last id that the table has assigned. */
  lastId(table: string): string
  setLastId(table: string, id: bigint): string
}

const KINDS: [string, Kind][] = [
  [
    'a file',
    {
      newAddress: async () => temporaryFile('petstore.db'),
      async copy(address) {
        const path = temporaryFile('petstore.db')
        copyFileSync(address, path)
        return path
      },
      async run(address, sql) {
        using database = new Database(address, { safeIntegers: true })
        return database.query<{ id?: unknown }, []>(sql).all()
      },
      lastId: (table) => `SELECT seq AS id FROM sqlite_sequence WHERE name = '${table}'`,
      setLastId: (table, id) => `UPDATE sqlite_sequence SET seq = ${id} WHERE name = '${table}'`,
    },
  ],
  [
    'PostgreSQL',
    {
      newAddress: () => cluster.newStore(),
      copy: (address) => cluster.newDatabase(`TEMPLATE ${databaseOf(address)}`),
      run: (address, sql) => cluster.run(sql, address),
      lastId: (table) =>
        `SELECT pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass)::text AS id`,
      setLastId: (table, id) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${id})`,
    },
  ],
]

async function opened<Result>(address: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(address, { now: Date.now })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Creates a key, a pet and an order. */
async function give(store: Store, name: string) {
  const key = await store.createKey(newKey({ name }))
  const { value: pet } = await store.createPet(newPet(), key.id)
  const { value: order } = await store.placeOrder({ petId: pet.id }, key.id)
  return { key: key.id, pet: pet.id, order: order.id }
}

const recovered = (address: string, ...flags: string[]) => run(['recovered', '--database', address, '--yes', ...flags])
const keyNamed = (keys: readonly ApiKey[], name: string) => keys.find((key) => key.name === name) as ApiKey

describe.each(KINDS)('a store in %s that was restored to an earlier state', (name, kind) => {
  const lastId = async (address: string, table: string) =>
    BigInt((await kind.run(address, kind.lastId(table)))[0]?.id as string)
  const setLastId = (address: string, table: string, id: bigint) => kind.run(address, kind.setLastId(table, id))

  /** Returns the address of a store, and that of an earlier state of it. */
  async function broughtBack() {
    const address = await kind.newAddress()
    await opened(address, async (store) => {
      await give(store, 'office')
      const { id } = await store.createKey(newKey({ name: 'till' }))
      await store.saveKeyUses([{ keyId: id, ending: 'live_aB12', at: Date.UTC(2026, 10, 21, 9, 30) }])
    })
    const earlier = await kind.copy(address)
    return { address, earlier }
  }

  test('reuses no id, rejects earlier positions in the feed, and lists the active keys', async () => {
    const { address, earlier } = await broughtBack()
    const lost = await opened(address, async (store) => {
      await store.revokeKey(keyNamed(await store.listKeys(), 'till').id)
      const last = [await give(store, 'new'), await give(store, 'newer')].at(-1)
      const [page, events] = [await store.findEnd(), await allEvents(store)]
      return { ...last, place: page, event: BigInt(events.at(-1)?.id ?? 0) }
    })
    const { status, stdout } = await recovered(earlier)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^2 +till +live_…aB12 +full +active +never +2026-11-21 09:30Z {2}/m)
    expect(stdout).toContain('1000000 ids of keys, pets, orders and events were skipped')
    await opened(earlier, async (store) => {
      expect(await rejectionOf(store.listEvents(eventFilter(lost.place)))).toMatchObject({ code: 'cursor_expired' })
      const before = await allEvents(store)
      const given = await give(store, 'newest')
      const after = await allEvents(store)
      expect(after.slice(0, before.length)).toEqual(before)
      const event = BigInt(after[before.length]?.id ?? 0)
      const pairs = { key: [given.key, lost.key], pet: [given.pet, lost.pet], order: [given.order, lost.order] }
      for (const [id = 0n, last = 0n] of Object.values({ ...pairs, event: [event, lost.event] })) {
        expect(Number(id - last)).toBeWithin(900_000, 1_000_001)
      }
      // Reading the feed from a time misses no event.
      const from = Date.parse(after[before.length]?.at ?? '')
      expect(await allEvents(store, { from })).toEqual(after.slice(before.length))
    })
  })

  test('shows the pets, the orders and the last event, also as JSON, and revokes the named keys, or all', async () => {
    const { earlier } = await broughtBack()
    const last = await opened(earlier, async (store) => (await allEvents(store)).at(-1))
    const revoked = async () =>
      (await opened(earlier, (store) => store.listKeys())).filter((key) => key.revokedAt).map(({ name }) => name)
    expect(await recovered(earlier, '--revoke', 'nobody')).toMatchObject({ status: 1 })
    const { stdout } = await recovered(earlier, '--skip-ids', '0')
    expect(stdout).toStartWith(`Found 1 pet and 1 order; the last event is ${last?.id}, of ${last?.at}.\n`)
    expect(await revoked()).toEqual([])
    const json = JSON.parse((await recovered(earlier, '--skip-ids', '5', '--revoke', 'till', '--json')).stdout)
    expect(json).toEqual({
      pets: 1,
      orders: 1,
      lastEvent: { id: Number(last?.id), at: last?.at },
      activeKeys: [expect.objectContaining({ name: 'office' }), expect.objectContaining({ name: 'till' })],
      skippedIds: 5,
      revokedKeys: [2],
    })
    expect(await revoked()).toEqual(['till'])
    expect((await recovered(earlier, '--revoke-all')).stdout).toContain('Key 1 (office) is revoked.')
    expect(await revoked()).toEqual(['office', 'till'])
    expect((await recovered(earlier)).stdout).toContain('There are no active keys.\n')
  })

  test('counts the inventory from the rows', async () => {
    const { earlier } = await broughtBack()
    await kind.run(earlier, 'UPDATE inventory SET pets = 2 * pets + 1')
    await recovered(earlier)
    expect(await opened(earlier, (store) => store.getInventory())).toEqual({ available: 0n, pending: 1n, sold: 0n })
    await opened(earlier, (store) => give(store, 'later'))
    expect((await opened(earlier, (store) => store.getInventory())).pending).toBe(2n)
  })

  test('is not changed at all if there are fewer ids than to skip', async () => {
    const { earlier } = await broughtBack()
    await setLastId(earlier, 'orders', 2n ** 63n - 1_000n)
    const place = await opened(earlier, (store) => store.findEnd())
    const { status, stderr } = await recovered(earlier, '--revoke-all')
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('cannot be used: only 999 ids of orders are left: skip fewer with --skip-ids.\n'),
    ])
    expect(await lastId(earlier, 'pets')).toBe(1n)
    await opened(earlier, async (store) => {
      expect(await store.findEnd()).toEqual(place)
      expect((await store.listKeys()).every(({ revokedAt }) => revokedAt === undefined)).toBe(true)
    })
    expect(await recovered(earlier, '--skip-ids', '900')).toMatchObject({ status: 0 })
    expect(await lastId(earlier, 'orders')).toBe(2n ** 63n - 100n)
    expect(await recovered(earlier, '--skip-ids', '0')).toMatchObject({ status: 0 })
    expect(await lastId(earlier, 'orders')).toBe(2n ** 63n - 100n)
  })

  test('reuses no id if its sequences are behind its rows, as after logical replication', async () => {
    const address = await kind.newAddress()
    await opened(address, async () => undefined)
    // A store that has not assigned any id skips some, too.
    expect(await recovered(address, '--skip-ids', '10')).toMatchObject({ status: 0 })
    const last = await opened(address, (store) => give(store, 'first'))
    expect(last).toEqual({ key: 11n, pet: 11n, order: 11n })
    const behind = async (by: number) => {
      for (const table of ['keys', 'pets', 'orders', 'events']) await setLastId(address, table, 1n)
      expect(await recovered(address, '--skip-ids', String(by))).toMatchObject({ status: 0 })
    }
    await behind(10)
    const given = await opened(address, (store) => give(store, 'newest'))
    expect(given).toEqual({ key: last.key + 11n, pet: last.pet + 11n, order: last.order + 11n })
    await behind(0)
    const next = await opened(address, (store) => give(store, 'next'))
    expect(next).toEqual({ key: given.key + 1n, pet: given.pet + 1n, order: given.order + 1n })
    // Three pets, three orders and twice ten skipped ids.
    expect(await lastId(address, 'events')).toBe(26n)
  })

  test('is rejected while a service uses it, and is either recovered or served if a server starts during the prompt', async () => {
    const { earlier } = await broughtBack()
    let server: Running | undefined
    const revoke = async () => {
      server = await serve(['--database', earlier]).catch(() => undefined)
      return []
    }
    const refusal = await kindOf(earlier)
      .recover(earlier, { skipIds: 5n, revoke })
      .catch((error) => error)
    // The command locks a file.
    expect(server === undefined).toBe(kindOf(earlier).files !== undefined)
    expect(refusal?.message).toEqual(server && expect.stringMatching(/Stop them first\.$/))
    const last = server ? 1n : 6n
    server ??= await serve(['--database', earlier])
    expect(await recovered(earlier)).toEqual(ended(1, /Stop (it|them) first\.\n$/))
    await server.stop()
    expect(await lastId(earlier, 'pets')).toBe(last)
    expect(await recovered(earlier)).toMatchObject({ status: 0 })
  })

  const testOnce = name === 'a file' ? test : () => undefined
  testOnce('is changed only after confirmation', async () => {
    const { earlier } = await broughtBack()
    expect(await run(['recovered', '--database', earlier])).toEqual(ended(1, 'use petstore recovered --yes.'))
    const terminal = openTerminal(['recovered', '--database', earlier, '--revoke', 'till'])
    await terminal.waitForScreen('skip 1,000,000 ids and revoke 1 key in')
    terminal.type('n\r')
    expect(await terminal.exited).toBe(1)
    expect(terminal.shown()).toContain('Nothing was changed.')
    expect(await lastId(earlier, 'pets')).toBe(1n)
    const again = openTerminal(['recovered', '--database', earlier])
    await again.waitForScreen('[y/N]')
    again.type('y\r')
    expect(await again.exited).toBe(0)
    expect(await lastId(earlier, 'pets')).toBe(1_000_001n)
  })
})

test('leaves one epoch and one schema version in PostgreSQL after pg_restore --data-only into an existing store', async () => {
  const address = await cluster.newStore()
  await cluster.run('INSERT INTO petstore_schema TABLE petstore_schema; INSERT INTO event_epoch VALUES (1)', address)
  await recovered(address)
  const rows = 'SELECT (SELECT count(*) FROM petstore_schema) + (SELECT count(*) FROM event_epoch) AS rows'
  expect(await cluster.run(rows, address)).toEqual([{ rows: '2' }])
})

test('rejects a database without a store, and a user who does not own the tables', async () => {
  const foreign = temporaryFile('other.db')
  runOnFile(foreign, 'CREATE TABLE notes (text TEXT)')
  const before = readFileSync(foreign)
  const [absent, empty] = [temporaryFile('absent.db'), await cluster.newDatabase()]
  const owned = await cluster.newStore()
  await cluster.asAdmin(async (sql) => {
    await sql.unsafe('CREATE ROLE serving LOGIN')
    await sql.unsafe('GRANT SELECT ON petstore_schema TO serving')
  }, owned)
  for (const [address, sentence] of [
    [foreign, 'is a database of another program'],
    [absent, noStoreAt(absent).message],
    [empty, 'cannot be used: it contains no store.'],
    [owned.replace('postgres@', 'serving@'), 'this user does not own the tables: use the address of their owner.'],
  ] as const) {
    expect(await recovered(address)).toEqual(ended(1, sentence))
  }
  expect(readFileSync(foreign).equals(before)).toBe(true)
})

test('ignores servers that use another schema of the database', async () => {
  const address = await cluster.newStore()
  await cluster.run(
    `CREATE ROLE neighbour LOGIN; CREATE SCHEMA neighbour AUTHORIZATION neighbour;
     ALTER ROLE neighbour IN DATABASE ${databaseOf(address)} SET search_path = neighbour`,
    address,
  )
  const store = await openStore(address.replace('postgres@', 'neighbour@'), { now: Date.now, serves: true })
  expect(await recovered(address)).toMatchObject({ status: 0 })
  await store.close()
})

test('gives up soon if another session has locked a row that it changes, because it holds the lock of all writes', async () => {
  const address = await cluster.newStore()
  const blocked = await cluster.locked(address, () => recovered(address), 'SELECT FROM event_epoch FOR UPDATE')
  expect(blocked).toEqual(ended(1, 'cannot be used: another session holds a lock that is needed.'))
})
