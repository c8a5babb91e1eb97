// The PostgreSQL store: rules of every store, and rules that only PostgreSQL has.

import { describe, expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { untilWaiting } from '../../../../../test/support/postgres.ts'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/connect/address.ts'
import { openSession } from '../../../src/store/postgres/connect/hosts.ts'
import { SETTINGS } from '../../../src/store/postgres/connect/session.ts'
import { WRITE_LOCK } from '../../../src/store/postgres/schema/schema.ts'
import { conformance } from '../conformance.ts'

conformance('PostgreSQL', 200, async () => {
  const address = await cluster.newStore()
  return { store: await openStore(address, { now: Date.now }), run: (sql) => cluster.run(sql, address) }
})

describe('creates of one batch', () => {
  test('succeed if others are refused because of U+0000, an unknown key or a number out of range', async () => {
    const { store, by } = await storeWithKey()
    const wrong = [{ name: 'hunter2\0' }, { categoryId: 2n ** 63n }].map((field) =>
      store.createPet({ ...PET, ...field }, by),
    )
    const bad = [...wrong, store.createPet({ ...PET, name: 'hunter2' }, 999n)]
    const good = Array.from({ length: 5 }, (_, n) => store.createPet({ ...PET, name: `good ${n}` }, by))
    const settled = await Promise.allSettled([...bad, ...good])
    // The server's error can contain the row, and errors are logged.
    expect(Bun.inspect(settled)).not.toContain('hunter2')
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill('rejected'), ...Array(5).fill('fulfilled')])
    const pets = petsOf(await store.listPets(petFilter({ limit: 10 })))
    expect(pets.map(({ name }) => name).sort()).toEqual(['good 0', 'good 1', 'good 2', 'good 3', 'good 4'])
    await store.close()
  })

  test('are durable even if the database has synchronous_commit = off', async () => {
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

test('a create is unavailable if a time limit of the database ends it', async () => {
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

test('warnings that are not about the standby change no answer, such as those of a trigger or about wraparound', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const warns = (result: string) =>
    `LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'database must be vacuumed'; RETURN ${result}; END $$`
  // This hides the function that every commit calls first, including the commit of a start.
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

test('a session sets each setting itself, so that later changes of the configuration do not affect it', async () => {
  const session = await openSession(parsePostgresAddress(await cluster.newStore()))
  const query = "SELECT setting FROM pg_settings WHERE name = $1 AND source = 'session'"
  for (const [name, setting] of Object.entries(SETTINGS))
    expect([name, await session.execute(query, name)]).toEqual([name, [{ setting }]])
  await session.close(1_000)
})

test('reports the duration of the longest wait for a lock', async () => {
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
