// A SQLite file that other processes write to: their commits are visible, and their locks delay writes only.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { allEvents } from '../../../../../test/support/events.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { now, PET, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

/** A program that opens the database, prints a line, and closes the database at the end of its stdin. */
const LEAVE = `
  const database = new (require('bun:sqlite').Database)(process.argv[1])
  database.query('SELECT count(*) FROM pets').get()
  console.log('open')
  await new Response(Bun.stdin.stream()).text()
  database.close()
`

test('a commit of another process is visible to a store that was opened while a process closed the file', async () => {
  const { path, store: first } = await storeWithKey()
  await first.close()
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

test('a commit of another process delays creates but not lists, and a create that waits too long is unavailable', async () => {
  const { path, store, by } = await storeWithKey()
  using other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  const creating = rejectionOf(store.createPet(PET, by))
  // A list that waits for the lock would never return.
  for (let n = 0; n < 20; n++) {
    expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
    await Bun.sleep(1)
  }
  expect(await creating).toMatchObject({ code: 'unavailable' })
  expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
  other.run('ROLLBACK')
  expect((await store.createPet(PET, by)).value.id).toBe(1n)
  await store.close()
})

test('dates a waiting create by the clock after the wait', async () => {
  const { path, store: first, by } = await storeWithKey()
  await first.close()
  const clock = { at: 1_000 }
  const store = await openStore(path, { now: () => clock.at })
  using other = new Database(path)
  other.run('BEGIN IMMEDIATE')
  const creating = store.createPet(PET, by)
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  clock.at = 2_000
  other.run('ROLLBACK')
  await creating
  expect(await allEvents(store)).toMatchObject([{ at: new Date(2_000).toISOString() }])
  await store.close()
})
