// The feed of events in SQLite: the promises of every store, and what is peculiar to a file.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { kindOf, openStore, type StoreFiles } from '../src/store/kinds.ts'
import { MIGRATIONS } from '../src/store/sqlite/connection.ts'
import { APPLICATION_ID } from '../src/store/sqlite/file.ts'
import { eventsConformance } from './events.conformance.ts'
import { allEvents, inventoryOf } from './support/events.ts'
import { temporaryFile } from './support/files.ts'
import { newKey } from './support/keys.ts'
import { newPet } from './support/pets.ts'
import { expectTold, OF_17 } from './support/told-events.ts'

eventsConformance('SQLite', async () => {
  const path = temporaryFile('petstore.db')
  let ahead = 0
  const store = await openStore(path, { now: () => Date.now() + ahead })
  return {
    store,
    async setClock(ms) {
      ahead = ms
    },
    async run(sql) {
      const database = new Database(path)
      database.run(sql)
      database.close()
    },
  }
})

test('a pet that is added and ordered in one transaction, between other orders, is added before it is ordered', async () => {
  const store = await openStore(temporaryFile('petstore.db'), { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet(), by)
  await Promise.all([
    store.placeOrder({ petId: 1n }, by),
    store.createPet(newPet(), by),
    store.placeOrder({ petId: 2n }, by),
    store.cancelOrder(1n, by),
  ])
  const events = await allEvents(store)
  expect(events.map(({ id, type, petId }) => [id, type, petId].join(' '))).toEqual([
    '1 pet.added 1',
    '2 order.placed 1',
    '3 pet.added 2',
    '4 order.placed 2',
    '5 order.cancelled 1',
  ])
  await store.close()
})

test('a backup, and a store that was restored from it, begin a new epoch each', async () => {
  const [path, backup] = [temporaryFile('petstore.db'), temporaryFile('backup.db')]
  const files = kindOf(path).files as StoreFiles
  const epochOf = async (file: string) => {
    const store = await openStore(file, { now: Date.now })
    const { epoch } = await store.findEnd()
    await store.close()
    return epoch
  }
  const epochs = [await epochOf(path)]
  files.backUp(path, backup)
  epochs.push(await epochOf(backup), await epochOf(path))
  expect(epochs[2]).toBe(epochs[0] as bigint)
  for (let n = 0; n < 2; n++) {
    files.restore(backup, path, 1n)
    epochs.push(await epochOf(path))
  }
  expect(new Set(epochs).size).toBe(4)
})

test('what happened before the migration is in a valid order, whatever the times say', async () => {
  const path = temporaryFile('petstore.db')
  const old = new Database(path)
  for (const sql of MIGRATIONS.slice(0, 7)) old.run(sql)
  old.run(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 7`)
  old.run("INSERT INTO keys (id, name, hash, read_only, created_at) VALUES (1, 'till', 'h', 0, 0), (2, '', 'i', 0, 0)")
  const pet = old.query('INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, 7, ?, ?, 1)')
  for (const [name, status, at] of [
    ['a', 'sold', 500],
    ['b', 'available', 100],
    ['c', 'sold', 200],
    ['d', 'pending', 900],
  ] as const) {
    pet.run(name, status, at)
  }
  const order = old.query('INSERT INTO orders (pet_id, status, placed_at, changed_at) VALUES (?, ?, 0, 0)')
  const move = old.query('INSERT INTO order_transitions VALUES (?, ?, ?, 2)')
  for (const [id, [petId, ...moves]] of [
    [1, ['cancelled', 900], ['pending', 800]],
    [1, ['pending', 300], ['completed', 250], ['returned', 250]],
    [2, ['pending', 100], ['expired', 100]],
    [1, ['pending', 50], ['completed', 40]],
  ].entries() as Iterable<[number, [number, ...[string, number][]]]>) {
    order.run(petId, moves.length === 3 ? 'returned' : id === 3 ? 'completed' : 'cancelled')
    for (const [status, at] of moves) move.run(id + 1, status, at)
  }
  old.close()
  const store = await openStore(path, { now: Date.now })
  const events = await allEvents(store)
  expect(events.map(({ type, petId, orderId }) => [type, orderId ?? petId].join(' '))).toEqual([
    'pet.added 1',
    'pet.added 2',
    'pet.added 3',
    'order.placed 1',
    'order.cancelled 1',
    'order.placed 2',
    'order.completed 2',
    'order.returned 2',
    'order.placed 3',
    'order.expired 3',
    'order.placed 4',
    'order.completed 4',
    'pet.added 4',
  ])
  expect(events[3]?.by).toBe('2')
  expect(inventoryOf(events)).toEqual(await store.getInventory())
  await store.close()
})

test('a store of schema 17 keeps every event and its id, and the next one goes on', async () => {
  const path = temporaryFile('petstore.db')
  const old = new Database(path)
  for (const sql of MIGRATIONS.slice(0, 17)) old.run(sql)
  old.run(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 17; ${OF_17('0')}`)
  old.close()
  await expectTold(await openStore(path, { now: Date.now }))
})
