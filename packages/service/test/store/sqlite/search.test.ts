// SQLite's search index has rows in blocks of 2^20 ids. search.process.test.ts tests what both stores have in common.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { expectPages, idsOf } from '../../../../../test/support/paging.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { openStore } from '../../../src/store/kinds.ts'

const BLOCK = 1n << 20n
/** Ids around the end of a block, in blocks with the same letter, and at the end of all ids. */
const FIRST_IDS = [1n, BLOCK - 1n, 36n * BLOCK, 36n * BLOCK + 100n, 37n * BLOCK - 1n, 2n ** 63n - 3n]

test('finds rows in many blocks of ids in order, in both directions, by each prefix, after corrections and deletions', async () => {
  const path = temporaryFile('blocks.db')
  const store = await openStore(path, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  const setNext = (id: bigint) => {
    using database = new Database(path)
    database.run(`UPDATE sqlite_sequence SET seq = ${id - 1n} WHERE name = 'pets'`)
  }
  const added: bigint[] = []
  for (const first of FIRST_IDS) {
    if (first > 1n) setNext(first)
    for (const name of ['Anna Bellissima', 'Anna Bell'])
      added.push((await store.createPet(newPet({ name }), by)).value.id)
  }
  expect(added).toEqual(FIRST_IDS.flatMap((first) => [first, first + 1n]))
  const expectFound = async (search: string, ids: readonly bigint[]) => {
    for (const sort of ['oldest', 'newest'] as const)
      await expectPages(sort === 'oldest' ? [...ids] : ids.toReversed(), 3, (place) =>
        store.listPets(petFilter({ limit: 3, search, sort, ...place })),
      )
  }
  for (const search of ['a', 'be anna', 'anna bell']) await expectFound(search, added)
  const isLong = (_: bigint, n: number) => n % 2 === 0
  await expectFound('bellissima', added.filter(isLong))
  await store.updatePet(added[4] as bigint, { name: 'Carl' }, by)
  await store.deletePet(added[6] as bigint, by)
  await expectFound(
    'bellissima',
    added.filter((id, n) => isLong(id, n) && n !== 4 && n !== 6),
  )
  expect(idsOf(await store.listPets(petFilter({ limit: 9, search: 'carl' })))).toEqual([added[4] as bigint])
  await store.close()
})
