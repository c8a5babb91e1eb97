// The PostgreSQL store: rules of every store, and rules that only PostgreSQL has.

import { expect, test } from 'bun:test'
import type { ISql } from 'postgres'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { untilWaiting } from '../../../../../test/support/postgres.ts'
import { cluster, now, PET, storeWithKey, withRightsOfServer } from '../../../../../test/support/postgres-store.ts'
import { outcomeOf, rejectionOf } from '../../../../../test/support/rejection.ts'
import { Metrics } from '../../../src/observability/metrics.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { CONNECTIONS_DEFAULT, parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { openSession } from '../../../src/store/postgres/connect/hosts.ts'
import { beginWith, SETTINGS } from '../../../src/store/postgres/connect/session.ts'
import { STATEMENT_TIMEOUT_MS } from '../../../src/store/postgres/connect/time-limits.ts'
import { conformance } from '../conformance.ts'

conformance('PostgreSQL', 200, async (options) => {
  const address = await cluster.newStore()
  const limited = await withRightsOfServer(address)
  const beside = () => openStore(limited, { now: Date.now })
  const store = await openStore(limited, { now: Date.now, ...options })
  return { store, beside, run: (sql) => cluster.run(sql, address) }
})

test('creates of one batch succeed if others are rejected because of U+0000, an unknown key or a number out of range', async () => {
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

test('creates of one batch are durable even if the database has synchronous_commit = off', async () => {
  const { address, by, name, store } = await storeWithKey()
  await store.close()
  await cluster.run(`ALTER DATABASE ${name} SET synchronous_commit = off`)
  const shown = async (sql: ISql) => (await sql`SHOW synchronous_commit`)[0]
  const insert = `INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 0, ${by})`
  expect(await cluster.locked(name, shown, 'SELECT')).toEqual({ synchronous_commit: 'off' })
  expect(await cluster.locked(name, shown, insert)).toEqual({ synchronous_commit: 'on' })

  await using session = await openSession(parsePostgresAddress(address))
  const decided = (begin?: string) =>
    session.transaction(async () => {
      await session.execute(`${insert} RETURNING $1::int`, 1)
      return session.execute('SHOW synchronous_commit')
    }, begin)
  expect(await decided()).toEqual([{ synchronous_commit: 'on' }])
  // A trigger does not change the decision of the service.
  expect(await decided(beginWith({ synchronous_commit: 'local' }))).toEqual([{ synchronous_commit: 'local' }])
})

test('calls join a batch that waits for the lock, and all are decided by the rows after the wait', async () => {
  const { address, store: other, by } = await storeWithKey()
  const batches: number[] = []
  const store = await openStore(address, { now, onBatch: (size) => batches.push(size) })
  const { value: pet } = await store.createPet(PET, by)
  const [revoked, expiring] = await Promise.all([other.createKey(newKey()), other.createKey(newKey())])
  batches.length = 0
  const changes = await cluster.locked(address, async (transaction) => {
    const first = [store.createPet(PET, by, 'once'), store.placeOrder({ petId: pet.id }, expiring.id)]
    await untilWaiting(transaction)
    await store.revokeKey(revoked.id)
    await cluster.run(`UPDATE keys SET expires_at = petstore_now() WHERE id = ${expiring.id}`, address)
    const joining = [store.createPet(PET, by, 'once'), store.updatePet(pet.id, { name: 'Luna' }, by)]
    return { settled: Promise.allSettled([...first, ...joining, store.createPet(PET, revoked.id)]) }
  })
  const [first, expired, again, renamed, refused] = await changes.settled
  expect(batches).toEqual([5])
  const added = { ...PET, id: pet.id + 1n }
  expect(first).toMatchObject({ value: { value: added, replayed: false } })
  expect(again).toMatchObject({ value: { value: added, replayed: true } })
  expect(renamed).toMatchObject({ value: { ...pet, name: 'Luna' } })
  for (const one of [expired, refused]) expect(one).toMatchObject({ reason: { code: 'invalid_api_key' } })
  await Promise.all([store.close(), other.close()])
})

test('while another program has locked some rows, only changes to these rows fail, and soon', async () => {
  const { store, by, name } = await storeWithKey()
  const [locked, ordered, free] = await Promise.all(
    [1, 2, 3].map(async () => (await store.createPet(PET, by)).value.id),
  )
  for (const petId of [ordered, free])
    await store.placeOrder({ petId: petId as bigint, expiresAt: Date.now() + 60_000 }, by)
  await cluster.run('UPDATE orders SET expires_at = 2', name)
  const changing = async () => {
    const startedAt = performance.now()
    expect(await store.expireOrders()).toMatchObject([{ petId: free }])
    const changes = [
      store.placeOrder({ petId: locked as bigint }, by),
      store.placeOrder({ petId: free as bigint }, by),
      store.deletePet(locked as bigint, by),
      store.createPet(PET, by),
    ]
    const outcomes = await Promise.all(changes.map(outcomeOf))
    expect(outcomes).toEqual(['unavailable', 'answered', 'unavailable', 'answered'])
    expect(performance.now() - startedAt).toBeLessThan(STATEMENT_TIMEOUT_MS)
  }
  const lock = `SELECT FROM pets WHERE id = ${locked} FOR UPDATE; SELECT FROM orders WHERE pet_id = ${ordered} FOR UPDATE`
  await cluster.locked(name, changing, lock)
  expect(await store.expireOrders()).toMatchObject([{ petId: ordered }])
  await store.deletePet(locked as bigint, by)
  await store.close()
})

test('places no order if the database does not write everything that was decided', async () => {
  const { store, by, name } = await storeWithKey()
  const { value: pet } = await store.createPet(PET, by)
  await cluster.run(
    `CREATE FUNCTION write_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER write_nothing BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION write_nothing()`,
    name,
  )
  expect(await rejectionOf(store.placeOrder({ petId: pet.id }, by))).toMatchObject({ code: '22P02' })
  await cluster.run('DROP FUNCTION write_nothing CASCADE', name)
  expect(await store.getPet(pet.id)).toMatchObject({ status: 'available' })
  expect((await store.placeOrder({ petId: pet.id }, by)).value).toMatchObject({ status: 'pending' })
  await store.close()
})

test('a create waits for a transaction with an earlier id, so that pets are committed in the order of their ids', async () => {
  const { store, by, name } = await storeWithKey()
  const list = () => store.listPets(petFilter({ limit: 10 }))
  const waiting = async (transaction: ISql) => {
    const second = store.createPet(PET, by)
    await untilWaiting(transaction)
    expect(await list()).toEqual({ json: '[]', next: undefined, prev: undefined })
    return [second]
  }
  const insert = `INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('slow', 1, 'sold', 0, ${by})`
  await Promise.all(await cluster.locked(name, waiting, insert))
  expect(petsOf(await list()).map((pet) => `${pet.id} ${pet.name}`)).toEqual(['1 slow', '2 Rex'])
  await store.close()
})

test('a warning of a trigger or about wraparound changes no response', async () => {
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
  const waiting = async (transaction: ISql) => {
    creating = store.createKey(newKey({ name: 'waits' }))
    await untilWaiting(transaction, 1, 'relation')
    return store.lockWaitSeconds?.()
  }
  expect(await cluster.locked(name, waiting, 'LOCK TABLE keys')).toBeWithin(0.000_001, 2)
  await creating
  expect(await store.lockWaitSeconds?.()).toBe(0)
  await store.close()
})

test('servers that start together migrate once, and each reports its connections', async () => {
  const address = await cluster.newDatabase()
  const stores = await Promise.all([1, 2, 3].map(() => openStore(address, { now, serves: true })))
  for (const { pool, ping, close } of stores) {
    await ping()
    const metrics = new Metrics()
    metrics.watch({ pool })
    const text = await metrics.text()
    const values = ['size', 'busy', 'waiting'].map(
      (name) => RegExp(`^petstore_pool_${name} (\\d+)$`, 'm').exec(text)?.[1],
    )
    expect(values).toEqual([String(CONNECTIONS_DEFAULT), '0', '0'])
    expect(text).toMatch(/^petstore_primary_changes_total\{reason="ready"\} [12]$/m)
    await close()
  }
})
