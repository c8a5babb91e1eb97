// The feed of events in SQLite: the promises of every store, and what is peculiar to a file.

import { expect, test } from 'bun:test'
import { allEvents } from '../../../../../test/support/events.ts'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { runOnFile } from '../../../../../test/support/sqlite.ts'
import { kindOf, openStore, type StoreFiles } from '../../../src/store/kinds.ts'
import { eventsConformance } from '../events.conformance.ts'

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
      runOnFile(path, sql)
    },
  }
})

test('a pet that is added and ordered in one transaction, between other orders, is added before it is ordered', async () => {
  const store = await openStore(temporaryFile('petstore.db'), { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet(), by)
  const [first, second] = [{ petId: 1n }, { petId: 2n }].map((order) => () => store.placeOrder(order, by))
  await Promise.all([first?.(), store.createPet(newPet(), by), second?.(), store.cancelOrder(1n, by)])
  const events = await allEvents(store)
  const told = events.map(({ id, type, petId }) => [id, type, petId].join(' '))
  const all = '1 pet.added 1, 2 order.placed 1, 3 pet.added 2, 4 order.placed 2, 5 order.cancelled 1'
  expect(told.join(', ')).toBe(all)
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
