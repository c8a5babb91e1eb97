// Overdue reservations expire in time, without reading the index entries that sales left.

import { expect, test } from 'bun:test'
import { cluster, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { passTime } from '../../../../../test/support/timers.ts'
import { until } from '../../../../../test/support/until.ts'
import type { KeyId } from '../../../src/domain/keys.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'

const SALES = 20_000
const SALES_BEFORE = `
  SET session_replication_role = replica;
  INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
    SELECT n, 'pending', petstore_now() - 3600000 + n, 1, 1 FROM generate_series(1000001, ${1_000_000 + SALES}) AS n;
  UPDATE orders SET status = 'completed'`

const setClockAhead = (database: string, ms: number) =>
  cluster.run(
    `CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
     RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${ms}`,
    database,
  )

/** Reserves a pet for half a second in `seller`, and expects that `sweeper` expires it within a second. */
async function reserveAndExpire(seller: Store, by: KeyId, sweeper = seller): Promise<void> {
  const { value: pet } = await seller.createPet(PET, by)
  const expiresAt = Date.now() + 500
  const { value: order } = await seller.placeOrder({ petId: pet.id, expiresAt }, by)
  const expired = () => sweeper.expireOrders()
  expect(await until('the reservation expires', async () => (await expired())[0])).toEqual({
    id: order.id,
    petId: pet.id,
  })
  expect(Date.now() - expiresAt).toBeWithin(0, 1_000)
}

test('while an old snapshot is open, the entries of earlier sales are read once and not by each sweep', async () => {
  const { store, by, name } = await storeWithKey()
  await cluster.asAdmin(
    (sql) =>
      sql.begin('ISOLATION LEVEL REPEATABLE READ', async (snapshot) => {
        await snapshot`SELECT 1`
        await cluster.run(SALES_BEFORE, name)
        for (let sweep = 0; sweep < 10; sweep++) expect(await store.expireOrders()).toEqual([])
        await reserveAndExpire(store, by)
        await store.close()
      }),
    name,
  )
  const reads = `SELECT idx_scan::int AS scans, idx_tup_read::int AS entries FROM pg_stat_user_indexes
    WHERE indexrelname = 'orders_by_expiry'`
  const counted = async () => {
    const [row] = await cluster.run(reads, name)
    return row?.scans >= 12 && row
  }
  expect((await until('the reads are counted', counted)).entries).toBeWithin(SALES, 1.1 * SALES)
})

test('reservations expire in time on both servers after the database clock was three days ahead', async () => {
  const { store, by, name, address } = await storeWithKey()
  const other = await openStore(address, { now: Date.now })
  const sweepBoth = async () => {
    for (const one of [store, other]) expect(await one.expireOrders()).toEqual([])
  }
  await sweepBoth()
  await setClockAhead(name, 3 * 86_400_000)
  await sweepBoth()
  // A reservation that is overdue for two minutes at the first sweep after the clock returned.
  await setClockAhead(name, -120_000)
  const { value: pet } = await store.createPet(PET, by)
  const { value: order } = await store.placeOrder({ petId: pet.id, expiresAt: Date.now() - 119_000 }, by)
  await setClockAhead(name, 0)
  expect(await other.expireOrders()).toEqual([{ id: order.id, petId: pet.id }])
  await reserveAndExpire(store, by, other)
  await reserveAndExpire(other, by, store)
  await Promise.all([store.close(), other.close()])
})

test('an expiry that was changed by hand to an earlier time is found within a minute', async () => {
  const { store, by, name } = await storeWithKey()
  const { value: pet } = await store.createPet(PET, by)
  const { value: order } = await store.placeOrder({ petId: pet.id, expiresAt: Date.now() + 60_000 }, by)
  expect(await store.expireOrders()).toEqual([])
  await cluster.run('UPDATE orders SET expires_at = 1', name)
  expect(await store.expireOrders()).toEqual([])
  passTime(60_000)
  const expired = await until('it expires', async () => (await store.expireOrders())[0])
  expect(expired).toEqual({ id: order.id, petId: pet.id })
  await store.close()
})
