// Searches do not delay other requests: SQLite runs them in a thread, PostgreSQL on some of its connections.

import { expect, test } from 'bun:test'
import type postgres from 'postgres'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { petFilter } from '../../../../test/support/lists.ts'
import { idsOf } from '../../../../test/support/paging.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { sharedCluster, untilWaiting } from '../../../../test/support/postgres.ts'
import { openStore } from '../../src/store/kinds.ts'

const SEARCHES = 8

test('SQLite: a request is answered before an earlier search', async () => {
  const store = await openStore(temporaryFile('search.db'), { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet({ name: 'Rex' }), by)
  const answered: string[] = []
  await Promise.all([
    ...Array.from({ length: SEARCHES }, async () => {
      expect(idsOf(await store.listPets(petFilter({ limit: 20, search: 'rex' })))).toEqual([1n])
      answered.push('search')
    }),
    store.listPets(petFilter({ limit: 20 })).then(() => answered.push('list')),
    store.getPet(1n).then(() => answered.push('pet')),
  ])
  expect(answered.slice(0, 2).toSorted()).toEqual(['list', 'pet'])
  await store.close()
})

test('PostgreSQL: blocked searches leave connections for other requests', async () => {
  const cluster = await sharedCluster()
  const address = await cluster.newStore()
  const store = await openStore(`${address}?connections=4`, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await store.createPet(newPet({ name: 'Rex' }), by)
  const search = async () => idsOf(await store.listPets(petFilter({ limit: 20, search: 'rex' })))
  const searching = async (sql: postgres.TransactionSql) => {
    const searches = Promise.allSettled(Array.from({ length: SEARCHES }, search))
    await untilWaiting(sql, 1, 'relation')
    for (let n = 0; n < SEARCHES; n++) expect(idsOf(await store.listPets(petFilter({ limit: 20 })))).toEqual([1n])
    expect((await untilWaiting(sql, 0, 'relation')).length).toBeLessThanOrEqual(1)
    return [searches]
  }
  const waiting = await cluster.locked(address, searching, 'LOCK TABLE search_pets IN ACCESS EXCLUSIVE MODE')
  await Promise.all(waiting)
  expect(await search()).toEqual([1n])
  await store.close()
})
