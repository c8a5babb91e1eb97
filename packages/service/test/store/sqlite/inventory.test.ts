// The inventory of a SQLite store also counts pets that another program has added to the file by SQL, each once.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { COUNT_TO } from '../../../src/store/sqlite/write/row-writer.ts'

test('counts pets that were added by SQL when the inventory is read, and once at the next create', async () => {
  const path = temporaryFile('petstore.db')
  const store = await openStore(path, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  using file = new Database(path, { safeIntegers: true })
  const expectInventory = async (available: bigint, pending: bigint, sold: bigint) =>
    expect(await store.getInventory()).toEqual({ available, pending, sold })
  const uncounted = () =>
    file.query('SELECT count(*) FROM pets WHERE id > (SELECT min(counted_to) FROM inventory)').values()[0]?.[0]
  for (const status of ['available', 'pending', 'sold'] as const) await store.createPet(newPet({ status }), by)
  for (const status of ['available', 'available', 'sold']) {
    const columns = '(name, category_id, status, created_at, created_by)'
    file.run(`INSERT INTO pets ${columns} VALUES ('Ada', 7, ?, 1, ?)`, [status, by])
  }
  await expectInventory(3n, 1n, 2n)
  expect(uncounted()).toBe(3n)
  // Its pet has not been counted yet.
  const { value: order } = await store.placeOrder({ petId: 4n }, by)
  await expectInventory(2n, 2n, 2n)
  await Promise.all([store.createPet(newPet(), by), store.completeOrder(order.id, by)])
  expect(uncounted()).toBe(0n)
  await expectInventory(3n, 1n, 3n)
  await store.returnOrder(order.id, by)
  await expectInventory(4n, 1n, 2n)
  file.query(COUNT_TO).run(2n)
  await store.createPet(newPet({ status: 'sold' }), by)
  await expectInventory(4n, 1n, 3n)
  await store.close()
})
