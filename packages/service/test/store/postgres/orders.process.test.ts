// Orders that several servers of one PostgreSQL database place, move and expire at the same time.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { orderFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { sharedCluster, untilWaiting } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { HOLDING } from '../../../src/domain/order-transitions.ts'
import type { Order, OrderStatus } from '../../../src/domain/orders.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'

const PET = newPet({ status: 'available' })
const cluster = await sharedCluster()

let address: string
let servers: [Store, Store]
let by: bigint

beforeAll(async () => {
  address = await cluster.newStore()
  servers = [await open(), await open()]
  by = (await servers[0].createKey(newKey())).id
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function open(): Promise<Store> {
  return await openStore(address, { now: Date.now })
}

const query = (statement: string) => cluster.run(statement, address)

async function addPets(count: number): Promise<bigint[]> {
  const created = await Promise.all(Array.from({ length: count }, () => servers[0].createPet(PET, by)))
  return created.map(({ value }) => value.id)
}

/** What it resolved with, or the code of the refusal. Anything else that goes wrong is thrown. */
async function outcome<Value>(calling: Promise<Value>): Promise<Value | string> {
  try {
    return await calling
  } catch (error) {
    if (error instanceof PetstoreError) return error.code
    throw error
  }
}

async function expectAgreement(): Promise<void> {
  const wrong = await query(`
    SELECT pets.id, pets.status, orders.status FROM pets
    LEFT JOIN orders ON pet_id = pets.id AND orders.status IN ('pending', 'completed')
    WHERE pets.status IS DISTINCT FROM CASE orders.status WHEN 'pending' THEN 'pending' WHEN 'completed' THEN 'sold' ELSE 'available' END`)
  expect(wrong).toEqual([])
  const untold = await query(`
    SELECT id FROM orders WHERE NOT EXISTS (
      SELECT FROM events WHERE order_id = orders.id AND order_status = orders.status AND at = changed_at)`)
  expect(untold).toEqual([])
  const counted = await query(`
    SELECT status FROM inventory
    WHERE pets <> (SELECT count(*) FROM pets WHERE pets.status = inventory.status)`)
  expect(counted).toEqual([])
}

test('the database forbids a second order of a pet, in exactly the statuses in which an order holds it', async () => {
  const [petId = 0n] = await addPets(1)
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

test('a key that is revoked or expires while writes wait for their turn refuses theirs, and theirs alone', async () => {
  const [server] = servers
  const [petId = 0n, other = 0n] = await addPets(2)
  const [revoked, expiring] = [await server.createKey(newKey()), await server.createKey(newKey())]
  const before = await query('SELECT id FROM pets')
  const writing = await cluster.locked(address, async (transaction) => {
    const writes = [revoked.id, expiring.id, by].flatMap((key) => [
      outcome(server.createPet(PET, key).then(() => 'added')),
      outcome(server.placeOrder({ petId: key === by ? petId : other }, key).then(() => 'placed')),
    ])
    await untilWaiting(transaction)
    // They join the batch that waits.
    writes.push(...[revoked.id, by].map((key) => outcome(server.createPet(PET, key).then(() => 'added'))))
    await query(`UPDATE keys SET revoked_at = 1 WHERE id = ${revoked.id}`)
    await query(`UPDATE keys SET expires_at = petstore_now() WHERE id = ${expiring.id}`)
    return { writes }
  })
  const refused = 'invalid_api_key'
  const outcomes = `${refused} ${refused} ${refused} ${refused} added placed ${refused} added`
  expect(await Promise.all(writing.writes)).toEqual(outcomes.split(' '))
  expect((await query('SELECT id FROM pets')).length).toBe(before.length + 2)
  expect((await server.listOrders(orderFilter({ limit: 2, petId: other }))).json).toBe('[]')
  await expectAgreement()
})

test('changes that arrive while a batch waits for its turn join it, and are decided by the rows of that moment', async () => {
  const batches: number[] = []
  const store = await openStore(address, { now: Date.now, onBatch: (size) => batches.push(size) })
  const { value: pet } = await store.createPet(newPet(), by)
  const { id: revoked } = await store.createKey(newKey())
  batches.length = 0
  const changes = await cluster.locked(address, async (transaction) => {
    const first = store.createPet(newPet(), by, 'once')
    await untilWaiting(transaction)
    await store.revokeKey(revoked)
    const joining = [store.createPet(newPet(), by, 'once'), store.updatePet(pet.id, { name: 'Luna' }, by)]
    return [first, ...joining, store.createPet(newPet(), revoked)]
  })
  const [first, again, renamed, refused] = await Promise.allSettled(changes)
  expect(batches).toEqual([4])
  const added = { ...newPet(), id: pet.id + 1n }
  expect(first).toMatchObject({ value: { value: added, replayed: false } })
  expect(again).toMatchObject({ value: { value: added, replayed: true } })
  expect(renamed).toMatchObject({ value: { ...pet, name: 'Luna' } })
  expect(refused).toMatchObject({ reason: { code: 'invalid_api_key' } })
  await store.close()
})

test('an order is checked as the transaction finds it that moves it, and once', async () => {
  const refusal = new PetstoreError('precondition_failed', 'It has changed.')
  const isRex = (order: Order) => {
    names.push(order.petName)
    return order.petName === PET.name ? undefined : refusal
  }
  let names: string[] = []
  for (const [rename, expected, code] of [
    [`UPDATE pets SET name = 'Max' WHERE id = `, ['Max'], refusal.code],
    // Another version of the row, but for the caller the same order.
    ['UPDATE pets SET name = name WHERE id = ', ['Rex'], 'completed'],
  ] as const) {
    const [petId = 0n] = await addPets(1)
    const { value: order } = await servers[0].placeOrder({ petId }, by)
    names = []
    const moving = await cluster.locked(address, async (transaction) => {
      const moving = outcome(servers[0].completeOrder(order.id, by, isRex))
      await untilWaiting(transaction)
      await transaction.unsafe(rename + petId)
      return { moving }
    })
    const outcomeOfMove = await moving.moving
    expect(typeof outcomeOfMove === 'string' ? outcomeOfMove : outcomeOfMove.status).toBe(code)
    expect(names).toEqual([...expected])
  }
  await expectAgreement()
})

test('a transition whose pet does not agree with the order fails alone, and changes nothing', async () => {
  const orders = await Promise.all((await addPets(3)).map((petId) => servers[0].placeOrder({ petId }, by)))
  const [first, wrong, last] = orders.map(({ value }) => value.id) as [bigint, bigint, bigint]
  await query(`UPDATE pets SET status = 'sold' WHERE id = (SELECT pet_id FROM orders WHERE id = ${wrong})`)
  const settled = await Promise.allSettled([first, wrong, last].map((id) => servers[0].completeOrder(id, by)))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await servers[1].getOrder(wrong))?.status).toBe('pending')
  await query(`UPDATE pets SET status = 'pending' WHERE id = (SELECT pet_id FROM orders WHERE id = ${wrong})`)
  expect((await servers[1].completeOrder(wrong, by)).status).toBe('completed')
  await expectAgreement()
})

test('a reservation whose pet does not agree with it does not keep others from expiring', async () => {
  const expiresAt = Date.now() + 600
  const placed = await Promise.all((await addPets(3)).map((petId) => servers[0].placeOrder({ petId, expiresAt }, by)))
  const [wrong, ...others] = placed.map(({ value }) => value.id).toSorted((a, b) => (a < b ? -1 : 1))
  await query(`UPDATE pets SET status = 'sold' WHERE id = (SELECT pet_id FROM orders WHERE id = ${wrong})`)
  await until('the reservation has expired', () => Date.now() > expiresAt)
  const expired = await servers[0].expireOrders(10)
  expect(expired.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(others)
  expect((await servers[0].getOrder(wrong as bigint))?.status).toBe('pending')
  await query(`UPDATE pets SET status = 'pending' WHERE id = (SELECT pet_id FROM orders WHERE id = ${wrong})`)
  expect((await servers[0].expireOrders(10)).map(({ id }) => id)).toEqual([wrong as bigint])
  await expectAgreement()
})

test('a pet that an order holds cannot be ordered again, also after it was made available by hand', async () => {
  const [petId, other] = (await addPets(2)) as [bigint, bigint]
  const { value: order } = await servers[0].placeOrder({ petId }, by)
  await query(`UPDATE pets SET status = 'available' WHERE id = ${petId}`)
  const placed = await Promise.allSettled([petId, other].map((id) => servers[1].placeOrder({ petId: id }, by)))
  expect(placed.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  await query(`UPDATE pets SET status = 'pending' WHERE id = ${petId}`)
  expect((await servers[1].completeOrder(order.id, by)).status).toBe('completed')
  await query(`UPDATE pets SET status = 'available' WHERE id = ${petId}`)
  expect(await rejectionOf(servers[0].placeOrder({ petId }, by))).not.toBeInstanceOf(PetstoreError)
  await query(`UPDATE pets SET status = 'sold' WHERE id = ${petId}`)
  await expectAgreement()
})

test('places nothing where the database does not write all that was decided', async () => {
  const [id = 0n] = await addPets(1)
  await query(`CREATE FUNCTION write_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
  await query('CREATE TRIGGER write_nothing BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION write_nothing()')
  try {
    expect(await rejectionOf(servers[0].placeOrder({ petId: id }, by))).toMatchObject({ code: '22P02' })
  } finally {
    await query('DROP FUNCTION write_nothing CASCADE')
  }
  expect(await servers[0].getPet(id)).toMatchObject({ status: 'available' })
  expect((await servers[0].placeOrder({ petId: id }, by)).value).toMatchObject({ status: 'pending' })
})
