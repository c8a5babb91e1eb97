// Changes of any kind that arrive together are one commit, on both stores.

import { afterAll, expect, test } from 'bun:test'
import { allEvents } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { orderFilter, petFilter } from '../../../../test/support/lists.ts'
import { idsOf } from '../../../../test/support/paging.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { sharedCluster, untilWaiting } from '../../../../test/support/postgres.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/kinds.ts'

const COUNT = 30

const cluster = await sharedCluster()
const STORES: Record<string, () => string | Promise<string>> = {
  SQLite: () => temporaryFile('petstore.db'),
  PostgreSQL: () => cluster.newStore(),
}
const open: Store[] = []
afterAll(() => Promise.all(open.map((store) => store.close())))

/** A store, and the sizes of its commits. */
async function opened(address = '') {
  const batches: number[] = []
  const store = await openStore(address, { now: Date.now, onBatch: (size) => batches.push(size) })
  open.push(store)
  const { id: by } = await store.createKey(newKey())
  return { address, store, by, batches }
}

test.each(Object.keys(STORES))(
  'on %s, creates, orders and corrections that arrive together are one commit each',
  async (kind) => {
    const { store, by, batches } = await opened(await STORES[kind]?.())
    const ids = Array.from({ length: COUNT }, (_, n) => BigInt(n + 1))
    const changes: [what: string, change: (id: bigint) => Promise<unknown>][] = [
      ['creates', () => store.createPet(newPet(), by)],
      ['corrections', (id) => store.updatePet(id, { name: `Luna ${id}` }, by)],
      ['orders', (petId) => store.placeOrder({ petId }, by)],
      ['changed orders', (id) => store.updateOrder(id, { reference: `till ${id}` }, by)],
      ['sales', (id) => store.completeOrder(id, by)],
      ['returns', (id) => store.returnOrder(id, by)],
    ]
    for (const [what, change] of changes) {
      batches.length = 0
      await Promise.all(ids.map(change))
      expect({ what, batches }).toEqual({ what, batches: [COUNT] })
    }
  },
)

test.each(Object.keys(STORES))(
  'on %s, one commit adds pets and changes them for clients that guess their ids',
  async (kind) => {
    const { store, by, batches } = await opened(await STORES[kind]?.())
    const { value: last } = await store.createPet(newPet(), by)
    const [renamed, ordered, deleted] = [last.id + 1n, last.id + 2n, last.id + 3n]
    batches.length = 0
    const added = [newPet(), newPet(), newPet()].map((pet) => store.createPet(pet, by))
    const changes = [store.updatePet(renamed, { name: 'Luna' }, by), store.deletePet(deleted, by)]
    await Promise.all([...added, ...changes, store.placeOrder({ petId: ordered, reference: 'Ada' }, by)])
    expect(batches).toEqual([6])
    expect((await Promise.all(added)).map(({ value }) => value.id)).toEqual([renamed, ordered, deleted])
    const found = async (search: string) => idsOf(await store.listPets(petFilter({ limit: 10, search })))
    expect([await found('luna'), await found('rex')]).toEqual([[renamed], [last.id, ordered]])
    expect(idsOf(await store.listOrders(orderFilter({ limit: 10, search: 'rex ada' })))).toHaveLength(1)
    expect(await store.getPet(deleted)).toBeUndefined()
    expect(await store.getInventory()).toEqual({ available: 2n, pending: 1n, sold: 0n })
    expect((await allEvents(store, { petId: renamed })).map(({ pet }) => pet?.name)).toEqual(['Rex', 'Luna'])
  },
)

test('on PostgreSQL, changes that arrive while a batch waits for its turn join it, and are decided by the rows of that moment', async () => {
  const { address, store, by, batches } = await opened(await cluster.newStore())
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
})
