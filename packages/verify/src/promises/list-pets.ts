// Level `pets`: what this project promises about listing pets and about conditional requests, beyond the interface
// document.

import { absentId, addPet, prepareOnce, STATUSES, times } from '../fixtures.ts'
import { expectAdditions, newPetId } from '../orders.ts'
import { seeded, somePetId } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { conditionRows, expectTagChange } from './shared/conditions.ts'
import { walk } from './shared/links.ts'
import { listRows } from './shared/lists.ts'
import { documented, header, parameter, reading, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('pets')

const TAGGED = writing('pets.list.if-none-match', 'pets.list.category')

/** A new category with pets of each status. */
const ownCategory = (probe: Probe) =>
  prepareOnce(probe, 'own category', async (own) => {
    const categoryId = 4n * BigInt(absentId())
    await times(own, 5, (n) => addPet(own, { categoryId, status: STATUSES[n % STATUSES.length] }))
    // Equal when rounded to 53 bits.
    await addPet(own, { categoryId: categoryId + 1n })
    return categoryId
  })

const quietQuery = async (probe: Probe): Promise<string> => {
  await seeded(probe)
  return probe.target.write ? `categoryId=${await ownCategory(probe)}&` : ''
}

const addToCategory = async (probe: Probe) => addPet(probe, { categoryId: await ownCategory(probe) })

/** A pet that no other client changes: a new one if pets can be added. */
const quietPet = (probe: Probe) =>
  prepareOnce(probe, 'quiet pet', async (own) =>
    own.target.write ? newPetId(own, { status: 'sold' }) : somePetId(own),
  )

export const listPetPromises = [
  ...listRows({
    id: 'pets.list',
    first: 'pets.list.array',
    statuses: STATUSES,
    filter: { name: 'categoryId', id: 'category' },
    quietQuery,
  }),
  ...conditionRows({
    id: 'pets.list',
    first: 'pets.list.array',
    path: async (probe) => `/pets?${await quietQuery(probe)}limit=4`,
  }),
  row('pets.list.limit.full', 'In a list of 100 pets or more, limit=99 returns at most 99 and limit=100 at most 100.')
    // It runs last, when the other checks have added most of these pets.
    .from(parameter('listPets', 'limit'), {
      ...reading('pets.list.limit.others', 'pets.list.limit.maximum'),
      alone: 'writes',
    })
    .check(async (probe) => {
      const there = (await probe.read('/pets?limit=100')).array().length
      if (there < 100 && !probe.target.write) throw probe.unjudged('There are fewer than 100 pets.')
      await times(probe, 101 - there, () => addPet(probe))
      for (const limit of [64, 80, 98, 99, 100]) (await probe.read(`/pets?limit=${limit}`)).expectAtMost(limit)
    }),
  row('pets.list.next.while-added', 'Following rel="next" lists each pet once while pets are added.')
    .from(documented('GET /pets', 'Pages'), writing('pets.list.newest.follow', 'pets.list.category'))
    .check(async (probe) => {
      const categoryId = BigInt(absentId())
      const add = async () => (await addPet(probe, { categoryId })).id
      const ids = [await add(), await add(), await add(), await add()]
      for (const sort of ['oldest', 'newest'] as const) {
        const start = await probe.read(`/pets?categoryId=${categoryId}&limit=2&sort=${sort}`)
        const before = ids.slice()
        ids.push(await add())
        const expected = sort === 'oldest' ? ids : before.toReversed()
        start.expectIds(expected, (await walk(probe, start, 'next')).flat())
      }
    }),
  row('pets.list.count', 'count=true adds the number of pets of a category, which is not part of the ETag.')
    .from([parameter('listPets', 'count'), header('TotalCount')], TAGGED)
    .check(async (probe) => {
      await expectAdditions(probe)
      const query = `/pets?categoryId=${absentId()}&limit=1`
      for (const count of ['0', '1', '2']) {
        const plain = await probe.read(query)
        const counted = (await probe.read(`${query}&count=true`)).expectHeader('X-Total-Count', RegExp(`^${count}$`))
        counted.expectHeader('ETag', plain.header('ETag'))
        await addPet(probe, { categoryId: BigInt(query.split(/[=&]/)[1] as string) })
      }
    }),
  row('pets.list.etag.changes', 'The ETag of a list changes when a pet is added to it.')
    .from(header('ETag'), { ...TAGGED, alone: 'writes' })
    .check(async (probe) =>
      expectTagChange(probe, `/pets?${await quietQuery(probe)}limit=100`, () => addToCategory(probe)),
    ),
  row('pets.list.etag.links', 'The ETag of a page covers its links: it changes when another page follows.')
    .from(header('ETag'), {
      ...writing('pets.list.if-none-match', 'pets.list.category', 'pets.list.next'),
      alone: 'writes',
    })
    .check(async (probe) => {
      const query = `/pets?${await quietQuery(probe)}`
      const { length } = (await probe.read(`${query}limit=100`)).array()
      const after = await expectTagChange(probe, `${query}limit=${length}`, () => addToCategory(probe))
      after.expectHeader('Link', /rel="next"/)
    }),
  ...conditionRows({
    id: 'pets.get',
    first: 'pets.get.success',
    path: async (probe) => `/pets/${await quietPet(probe)}`,
  }),
]
