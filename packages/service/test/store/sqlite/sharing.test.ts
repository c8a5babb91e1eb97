// A SQLite file that other processes write to at the same time: what a store sees of their commits, and how it waits for their lock.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { now, PET, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

/** A program that opens the database, prints a line, and closes the database when its standard input ends. */
const LEAVE = `
  const database = new (require('bun:sqlite').Database)(process.argv[1])
  database.query('SELECT count(*) FROM pets').get()
  console.log('open')
  await new Response(Bun.stdin.stream()).text()
  database.close()
`

describe('a commit of another process', () => {
  test('is seen by a store that was opened while a process closed the file', async () => {
    const path = await (async () => {
      const { path, store } = await storeWithKey()
      await store.close()
      return path
    })()
    for (let n = 0; n < 30; n++) {
      const leaving = Bun.spawn([process.execPath, '-e', LEAVE, path], { stdio: ['pipe', 'pipe', 'inherit'] })
      await leaving.stdout.getReader().read()
      leaving.stdin.end()
      const store = await openStore(path, { now })
      const other = new Database(path)
      await store.listPets(petFilter({ limit: 100 }))
      other.run("INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 1, 1)")
      expect(petsOf(await store.listPets(petFilter({ limit: 100 }))).length).toBe(n + 1)
      other.close()
      await store.close()
      await leaving.exited
    }
  })

  test('that holds the lock too long: a create is unavailable, and adds nothing', async () => {
    const { path, store, by } = await storeWithKey()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    expect(await rejectionOf(store.createPet(PET, by))).toMatchObject({ code: 'unavailable' })
    expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
    other.run('ROLLBACK')
    expect((await store.createPet(PET, by)).value.id).toBe(1n)
    other.close()
    await store.close()
  })

  test('delays no list, and a create only as long as it takes', async () => {
    const { path, store, by } = await storeWithKey()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    let added = false
    const creating = store.createPet(PET, by).then(() => {
      added = true
    })
    // A list that waited for the lock would wait for ever.
    for (let n = 0; n < 20; n++) {
      expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
      await Bun.sleep(1)
    }
    expect(added).toBe(false)
    other.run('ROLLBACK')
    await store.close()
    await creating
    expect(other.query('SELECT count(*) AS n FROM pets').get()).toEqual({ n: 1 })
    other.close()
  })

  test('comes before the writes that waited for it, and their times are later', async () => {
    const path = temporaryFile('petstore.db')
    const clock = { at: 1_000 }
    const store = await openStore(path, { now: () => clock.at })
    const { id: by } = await store.createKey(newKey())
    const [held, free] = await Promise.all([store.createPet(PET, by), store.createPet(PET, by)])
    const { value: order } = await store.placeOrder({ petId: held.value.id, expiresAt: 2_000 }, by)
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    const calls = [store.completeOrder(order.id, by), store.placeOrder({ petId: free.value.id }, by)]
    const waiting = Promise.allSettled(calls)
    await Bun.sleep(20)
    clock.at = 2_000
    other.run('COMMIT')
    other.close()
    const [completed, placed] = await waiting
    expect(completed).toMatchObject({ reason: { code: 'order_not_pending' } })
    expect(placed).toMatchObject({ value: { value: { placedAt: 2_000 } } })
    await store.close()
  })
})
