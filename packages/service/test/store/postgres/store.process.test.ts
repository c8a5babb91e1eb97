// The store of many machines: the promises of every store, and what is peculiar to PostgreSQL.

import { describe, expect, test } from 'bun:test'
import { allEvents } from '../../../../../test/support/events.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { untilWaiting } from '../../../../../test/support/postgres.ts'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import type { StoreOptions } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/connect/address.ts'
import { openSession } from '../../../src/store/postgres/connect/hosts.ts'
import { SETTINGS } from '../../../src/store/postgres/connect/session.ts'
import { WRITE_LOCK } from '../../../src/store/postgres/schema/schema.ts'
import { exactTimes } from '../exact-times.ts'
import { keysConformance } from '../keys.conformance.ts'

const openNew = async (options: StoreOptions) => openStore(await cluster.newStore(), options)
keysConformance('PostgreSQL', openNew)
exactTimes(async () => {
  const { store, by, name } = await storeWithKey()
  const setClock = (at: number) =>
    cluster
      .run(`CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${at}`, name)
      .then(() => {})
  return { store, by, setClock }
})

describe('creates that arrive together', () => {
  test('succeed although others are refused: a text with U+0000, an unknown key, a number out of range', async () => {
    const { store, by } = await storeWithKey()
    const wrong = [{ name: 'hunter2\0' }, { categoryId: 2n ** 63n }].map((field) =>
      store.createPet({ ...PET, ...field }, by),
    )
    const bad = [...wrong, store.createPet({ ...PET, name: 'hunter2' }, 999n)]
    const good = Array.from({ length: 5 }, (_, n) => store.createPet({ ...PET, name: `good ${n}` }, by))
    const settled = await Promise.allSettled([...bad, ...good])
    // What the server says of a bad row may hold the row, and an error may come into the log.
    expect(Bun.inspect(settled)).not.toContain('hunter2')
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill('rejected'), ...Array(5).fill('fulfilled')])
    const pets = petsOf(await store.listPets(petFilter({ limit: 10 })))
    expect(pets.map(({ name }) => name).sort()).toEqual(['good 0', 'good 1', 'good 2', 'good 3', 'good 4'])
    await store.close()
  })

  test('are committed durably, also when the database has synchronous_commit = off', async () => {
    const { by, name, store } = await storeWithKey()
    await store.close()
    await cluster.asAdmin(async (sql) => {
      await sql.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    })
    await cluster.asAdmin(
      (sql) =>
        sql.begin(async (transaction) => {
          expect((await transaction`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'off' })
          await transaction`INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 0, ${String(by)})`
          expect((await transaction`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'on' })
        }),
      name,
    )
  })
})

test('a create that a time limit of the database ends is unavailable', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  for (const limit of ['lock_timeout', 'transaction_timeout']) {
    await cluster.run(`ALTER DATABASE ${name} SET ${limit} = '200ms'`)
    const limited = await openStore(address, { now })
    const creating = cluster.asAdmin(
      (sql) =>
        sql.begin(async (transaction) => {
          await transaction`SET LOCAL transaction_timeout = 0`
          await transaction.unsafe(WRITE_LOCK)
          return rejectionOf(limited.createPet(PET, by))
        }),
      name,
    )
    expect(await creating).toMatchObject({ code: 'unavailable' })
    await limited.close()
  }
})

test('a warning that is not about the standby changes no answer, for example a trigger’s or one about wraparound', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const warns = (result: string) =>
    `LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'database must be vacuumed'; RETURN ${result}; END $$`
  // It hides the function of that name with which every commit begins, also the one of a start.
  await cluster.asAdmin(
    (sql) =>
      sql.unsafe(`ALTER DATABASE ${name} SET search_path = public, pg_catalog;
        CREATE FUNCTION public.pg_logical_emit_message(boolean, text, text) RETURNS pg_lsn ${warns(`'0/0'`)};
        CREATE FUNCTION public.warn() RETURNS trigger ${warns('NULL')};
        CREATE TRIGGER warn BEFORE INSERT OR UPDATE ON pets FOR EACH STATEMENT EXECUTE FUNCTION warn()`),
    name,
  )
  const warned = await openStore(address, { now })
  const { value: pet } = await warned.createPet(PET, by, 'a')
  expect(await warned.createPet(PET, by, 'a')).toEqual({ value: pet, replayed: true })
  const { value: order } = await warned.placeOrder({ petId: pet.id }, by)
  expect(await warned.completeOrder(order.id, by)).toMatchObject({ status: 'completed' })
  await warned.revokeKey(by)
  await warned.close()
})

test('two servers add without a refusal, whatever isolation the operator has set for the database', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  for (const level of ['serializable', 'repeatable read']) {
    await cluster.run(`ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`)
    const servers = await Promise.all([1, 2].map(() => openStore(address, { now })))
    const added = servers.flatMap((server) =>
      Array.from({ length: 50 }, async (_, n) => {
        for (let round = 0; round < 4; round++) await server.createPet(PET, by, `${level} ${n} ${round}`)
      }),
    )
    const settled = await Promise.allSettled(added)
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
    await Promise.all(servers.map((server) => server.close()))
  }
  const there = await cluster.run(`SELECT FROM pets`, name)
  expect(there.length).toBe(2 * 50 * 4)
})

/** Another value of each than sessions need. */
const OTHERS: Record<keyof typeof SETTINGS, string> = {
  ...{ default_transaction_isolation: 'serializable', array_nulls: 'off' },
  ...{ client_min_messages: 'error', gin_fuzzy_search_limit: '1' },
}
test.each(Object.entries(OTHERS))('the answers are the same if the database has %s = %s', async (setting, value) => {
  const { address, store, by, name } = await storeWithKey()
  const { value: pet } = await store.createPet({ ...PET, status: 'available' }, by)
  await store.close()
  await cluster.run(`ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  const changed = await openStore(address, { now })
  const { value: order } = await changed.placeOrder({ petId: pet.id }, by)
  expect(await changed.getOrder(order.id)).toEqual(order)
  const placed = (await allEvents(changed)).at(-1)
  expect(placed).toMatchObject({ type: 'order.placed', orderId: order.id })
  expect(placed).not.toHaveProperty('pet')
  await changed.close()
  // A later change of the server's configuration does not reach a value that the session has set.
  const session = await openSession(parsePostgresAddress(address))
  const query = 'SELECT setting, source FROM pg_settings WHERE name = $1'
  expect(await session.execute(query, setting)).toEqual([{ setting: SETTINGS[setting as never], source: 'session' }])
  await session.close(1_000)
})

test('reports how long the longest wait for a lock has lasted', async () => {
  const { store, name } = await storeWithKey()
  expect(await store.lockWaitSeconds?.()).toBe(0)
  let creating: Promise<unknown> | undefined
  const waited = await cluster.asAdmin(
    (sql) =>
      sql.begin(async (transaction) => {
        await transaction`LOCK TABLE keys`
        creating = store.createKey(newKey({ name: 'waits' }))
        await untilWaiting(transaction, 1, 'relation')
        return store.lockWaitSeconds?.()
      }),
    name,
  )
  expect(waited).toBeWithin(0.000_001, 2)
  await creating
  expect(await store.lockWaitSeconds?.()).toBe(0)
  await store.close()
})
