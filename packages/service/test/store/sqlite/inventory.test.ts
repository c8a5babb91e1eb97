// The inventory of a SQLite store also counts pets that something else has added to the file, by SQL.

import { Database } from 'bun:sqlite'
import { beforeEach, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { COUNT_TO } from '../../../src/store/sqlite/read/inventory.ts'

let store: Store
let file: Database
let by: bigint

beforeEach(async () => {
  const path = temporaryFile('petstore.db')
  store = await openStore(path, { now: Date.now })
  by = (await store.createKey(newKey())).id
  file = new Database(path, { safeIntegers: true })
  for (const status of ['available', 'pending', 'sold'] as const) await store.createPet(newPet({ status }), by)
  for (const status of ['available', 'available', 'sold']) {
    const columns = '(name, category_id, status, created_at, created_by)'
    file.run(`INSERT INTO pets ${columns} VALUES ('Ada', 7, ?, 1, ?)`, [status, by])
  }
})

/** How many pets no server has counted yet. */
function uncounted(): bigint {
  const [row] = file.query('SELECT count(*) FROM pets WHERE id > (SELECT min(counted_to) FROM inventory)').values()
  return row?.[0] as bigint
}

test('pets that were added by SQL are counted when the inventory is read', async () => {
  expect(await store.getInventory()).toEqual({ available: 3n, pending: 1n, sold: 2n })
  expect(uncounted()).toBe(3n)
})

test('the next create counts them, once', async () => {
  await store.createPet(newPet(), by)
  expect(uncounted()).toBe(0n)
  expect(await store.getInventory()).toEqual({ available: 4n, pending: 1n, sold: 2n })
})

test('an order moves a pet that is not counted yet, and the inventory stays exact', async () => {
  const { value: order } = await store.placeOrder({ petId: 4n }, by)
  expect(await store.getInventory()).toEqual({ available: 2n, pending: 2n, sold: 2n })
  await Promise.all([store.createPet(newPet(), by), store.completeOrder(order.id, by)])
  expect(await store.getInventory()).toEqual({ available: 3n, pending: 1n, sold: 3n })
  await store.returnOrder(order.id, by)
  expect(await store.getInventory()).toEqual({ available: 4n, pending: 1n, sold: 2n })
})

test('pets that are counted already are not counted again', async () => {
  await store.createPet(newPet(), by)
  const before = await store.getInventory()
  file.query(COUNT_TO).run(2n)
  await store.createPet(newPet({ status: 'sold' }), by)
  expect(await store.getInventory()).toEqual({ ...before, sold: before.sold + 1n })
})
