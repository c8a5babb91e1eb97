// Servers of the previous release and of this version on one store: they keep serving after the migration. The versions
// share only the store, so the tests use the stores of both versions without HTTP.

import { expect, test } from 'bun:test'
import { allEvents, placeOf } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { orderFilter, petFilter } from '../../../../test/support/lists.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { RELEASES, releasedStore } from '../../../../test/support/released-store.ts'
import type { Event } from '../../../contract/src/generated.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/kinds.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema/schema.ts'

const cluster = await sharedCluster()
const OPTIONS = { now: Date.now, serves: true }
const DAY_MS = 86_400_000

/** Adds a pet, and places, changes and completes its order. */
async function sell(store: Store, by: bigint): Promise<bigint> {
  const { value: pet } = await store.createPet(newPet(), by)
  const { value: order } = await store.placeOrder({ petId: pet.id, reference: 'Ada' }, by)
  await store.updateOrder(order.id, { expiresAt: Date.now() + DAY_MS }, by)
  await store.completeOrder(order.id, by)
  return order.id
}

const termsOf = async (store: Store, orderId: bigint) =>
  (await allEvents(store, { orderId })).map(({ terms }) => terms && Object.keys(terms).join())

/** The terms in the events of `sell`. */
const TERMS_BEFORE = ['reference', 'reference,expiresAt', undefined]
const TERMS = ['reference', 'reference,expiresAt', 'reference,expiresAt']
/** The schema of the previous release. */
const SCHEMA = NEWEST_VERSION - 1

test.each([
  ['a file', () => temporaryFile('petstore.db')],
  ['PostgreSQL', () => cluster.newDatabase()],
])(
  'in %s, servers of the previous release serve during and after the migration by this version, and both return the same',
  async (_, newAddress) => {
    const openReleased = await releasedStore(RELEASES[SCHEMA] as string)
    const address = await newAddress()
    const old = await openReleased(address, OPTIONS)
    const { id: by } = await old.createKey(newKey())
    const first = await sell(old, by)
    const { value: pet } = await old.createPet(newPet(), by, 'once')
    const [before, { epoch }] = [await allEvents(old), await old.findEnd()]

    const stop = new AbortController()
    let sold = 0
    const selling = (async () => {
      for (; !stop.signal.aborted; sold++) await sell(old, by)
    })()
    const store = await openStore(address, OPTIONS)
    stop.abort()
    await selling
    expect((await allEvents(store)).slice(0, before.length)).toEqual(before)
    expect(await termsOf(store, first)).toEqual(TERMS_BEFORE)

    for (const writer of [old, store, old, store]) {
      const id = await sell(writer, by)
      expect(await termsOf(store, id)).toEqual(writer === old ? TERMS_BEFORE : TERMS)
    }
    const addBoth = (n: number) => [old, store].map((server) => server.createPet(newPet(), by, `both ${n}`))
    const both = await Promise.all(Array.from({ length: 40 }, (_, n) => addBoth(n)).flat())
    expect(both.filter(({ replayed }) => replayed).length).toBe(40)
    expect(new Set(both.map(({ value }) => value.id)).size).toBe(40)
    const events = await allEvents(store)
    expect(events.filter(({ type }) => type === 'order.completed').length).toBe(sold + 5)
    expect(await allEvents(old)).toEqual(events)
    for (const place of [events[1], events.at(-5)].map((event) => placeOf(event as Event, epoch))) {
      const behind = events.filter(({ id }) => id > place.id)
      expect(await allEvents(store, { after: place })).toEqual(behind)
      expect(await allEvents(old, { after: place })).toEqual(behind)
    }
    for (const [one, other] of [
      [old.listPets(petFilter({ limit: 100 })), store.listPets(petFilter({ limit: 100 }))],
      [old.listOrders(orderFilter({ limit: 100 })), store.listOrders(orderFilter({ limit: 100 }))],
      [old.getInventory(), store.getInventory()],
    ])
      expect<unknown>(await one).toEqual(await other)
    const { id: _id, ...request } = pet
    for (const server of [store, old])
      expect(await server.createPet(request, by, 'once')).toEqual({ value: pet, replayed: true })

    await Promise.all([old.close(), store.close()])
    expect((await rejectionOf(openReleased(address, OPTIONS))).message).toContain(
      `was written by a newer petstore (schema ${NEWEST_VERSION}; this version knows ${SCHEMA})`,
    )
  },
)
