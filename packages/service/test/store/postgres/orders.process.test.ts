// Changes on PostgreSQL that random sequences (sequences/) do not reach: batches that wait for the lock, and rows that were changed by hand.

import { afterAll, expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { untilWaiting } from '../../../../../test/support/postgres.ts'
import { cluster, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { HOLDING } from '../../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import { openStore } from '../../../src/store/kinds.ts'

const { address, store: server, by } = await storeWithKey()
afterAll(() => server.close())

const query = (statement: string) => cluster.run(statement, address)
const addPet = async () => (await server.createPet(newPet(), by)).value.id

test('the database allows only one order that holds a pet', async () => {
  const petId = await addPet()
  const insert = (status: OrderStatus) => `
    BEGIN;
    INSERT INTO orders (pet_id, status, placed_at, changed_at) SELECT ${petId}, '${status}', 1, 1 FROM generate_series(1, 2);
    ROLLBACK`
  const codes = ORDER_STATUSES.map((status) =>
    query(insert(status)).then(
      () => 'done',
      ({ code }) => code,
    ),
  )
  const unique = (await Promise.all(codes)).map((code, index) => (code === '23505' ? ORDER_STATUSES[index] : code))
  expect(unique).toEqual(ORDER_STATUSES.map((status) => (HOLDING.includes(status) ? status : 'done')))
})

test('calls join a batch that waits for the lock, and all are decided by the rows after the wait', async () => {
  const batches: number[] = []
  const store = await openStore(address, { now: Date.now, onBatch: (size) => batches.push(size) })
  const { value: pet } = await store.createPet(newPet(), by)
  const [revoked, expiring] = await Promise.all([store.createKey(newKey()), store.createKey(newKey())])
  batches.length = 0
  const changes = await cluster.locked(address, async (transaction) => {
    const first = [store.createPet(newPet(), by, 'once'), store.placeOrder({ petId: pet.id }, expiring.id)]
    await untilWaiting(transaction)
    await store.revokeKey(revoked.id)
    await query(`UPDATE keys SET expires_at = petstore_now() WHERE id = ${expiring.id}`)
    const joining = [store.createPet(newPet(), by, 'once'), store.updatePet(pet.id, { name: 'Luna' }, by)]
    return [...first, ...joining, store.createPet(newPet(), revoked.id)]
  })
  const [first, expired, again, renamed, refused] = await Promise.allSettled(changes)
  expect(batches).toEqual([5])
  const added = { ...newPet(), id: pet.id + 1n }
  expect(first).toMatchObject({ value: { value: added, replayed: false } })
  expect(again).toMatchObject({ value: { value: added, replayed: true } })
  expect(renamed).toMatchObject({ value: { ...pet, name: 'Luna' } })
  for (const one of [expired, refused]) expect(one).toMatchObject({ reason: { code: 'invalid_api_key' } })
  await store.close()
})

test('expires the other reservations if one does not match the status of its pet', async () => {
  const petIds = [await addPet(), await addPet(), await addPet()]
  const expiresAt = Date.now() + 60_000
  const placed = await Promise.all(petIds.map((petId) => server.placeOrder({ petId, expiresAt }, by)))
  const [wrong = 0n, ...others] = placed.map(({ value }) => value.id)
  await query('UPDATE orders SET expires_at = 2 WHERE expires_at IS NOT NULL')
  await query(`UPDATE pets SET status = 'sold' WHERE id = ${petIds[0]}`)
  expect((await server.expireOrders(10)).map(({ id }) => id).toSorted((a, b) => Number(a - b))).toEqual(others)
  expect((await server.getOrder(wrong))?.status).toBe('pending')
  await query(`UPDATE pets SET status = 'pending' WHERE id = ${petIds[0]}`)
  expect((await server.expireOrders(10)).map(({ id }) => id)).toEqual([wrong])
})

test('places no order if the database does not write everything that was decided', async () => {
  const id = await addPet()
  await query(`CREATE FUNCTION write_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
  await query('CREATE TRIGGER write_nothing BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION write_nothing()')
  expect(await rejectionOf(server.placeOrder({ petId: id }, by))).toMatchObject({ code: '22P02' })
  await query('DROP FUNCTION write_nothing CASCADE')
  expect(await server.getPet(id)).toMatchObject({ status: 'available' })
  expect((await server.placeOrder({ petId: id }, by)).value).toMatchObject({ status: 'pending' })
})
