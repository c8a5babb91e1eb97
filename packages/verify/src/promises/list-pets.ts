// Level `pets`: what this project adds to listing pets, and conditional requests of lists and pets.

import { textOf } from '../answer.ts'
import { absentId, addPet, prepared, STATUSES, seeded, somePetId } from '../fixtures.ts'
import { newPetId } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { conditionRows } from './shared/conditions.ts'
import { listRows } from './shared/lists.ts'
import { walk } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, header, parameter, reading, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('pets')

/** A category of our own with pets of each status, where they may be added. */
const ownCategory = (probe: Probe) =>
  prepared(probe, 'own category', async (own) => {
    const categoryId = BigInt(absentId())
    for (let n = 0; n < 5; n++) await addPet(own, { categoryId, status: STATUSES[n % 3] })
    return categoryId
  })

const view = async (probe: Probe): Promise<string> => {
  await seeded(probe)
  return probe.target.write ? `categoryId=${await ownCategory(probe)}&` : ''
}

export const listPetPromises: readonly PromiseRow[] = listRows({
  level: 'pets',
  id: 'pets.list',
  operation: 'listPets',
  path: '/pets',
  first: 'pets.list.array',
  statuses: STATUSES,
  filter: { name: 'categoryId', id: 'category' },
  view,
})

const tagChanges: Check = async (probe) => {
  const path = `/pets?${await view(probe)}limit=100`
  const before = (await probe.get(path)).expectStatus(200)
  await addPet(probe, { categoryId: await ownCategory(probe) })
  const after = (await probe.get(path, { 'If-None-Match': before.header('ETag') ?? '' })).expectStatus(200)
  if (after.header('ETag') === before.header('ETag'))
    throw after.broken('another ETag', `ETag: ${after.header('ETag')} again`)
}

/** A pet whose status nobody changes, where it may be added. */
const quietPet = (probe: Probe) =>
  prepared(probe, 'quiet pet', async (own) => (own.target.write ? newPetId(own, { status: 'sold' }) : somePetId(own)))

export const petConditions: readonly PromiseRow[] = [
  ...conditionRows({
    level: 'pets',
    id: 'pets.list',
    operation: 'listPets',
    first: 'pets.list.array',
    path: async (probe) => `/pets?${await view(probe)}limit=4`,
  }),
  row('pets.list.limit.full', 'Of a hundred pets and more, limit=99 gives at most 99, and limit=100 at most 100.')
    // By then the checks have added most of them.
    .from(parameter('listPets', 'limit'), {
      ...reading('pets.list.limit.others', 'pets.list.limit.maximum'),
      alone: true,
    })
    .check(async (probe) => {
      const there = (await probe.get('/pets?limit=100')).expectStatus(200).array().length
      if (there < 100 && !probe.target.write) throw new Unjudged('There are fewer than a hundred pets.')
      for (let n = there; n < 101; n++) await addPet(probe)
      for (const limit of [99, 100]) {
        const answer = (await probe.get(`/pets?limit=${limit}`)).expectStatus(200)
        const { length } = answer.array()
        if (length > limit) throw answer.broken(`at most ${limit} pets`, `${length} pets`)
      }
    }),
  row(
    'pets.list.next.while-added',
    'Who follows rel="next" sees each pet once, while others are added: at the end, and with sort=newest not at all.',
  )
    .from(
      documented('GET /pets', 'Pages'),
      writing('pets.list.next.follow', 'pets.list.newest.follow', 'pets.list.category'),
    )
    .check(async (probe) => {
      const categoryId = BigInt(absentId())
      const add = async () => textOf((await addPet(probe, { categoryId })).object().get('id'))
      const ids = [await add(), await add(), await add(), await add()]
      for (const sort of ['oldest', 'newest'] as const) {
        const start = await probe.get(`/pets?categoryId=${categoryId}&limit=2&sort=${sort}`)
        const before = ids.slice()
        ids.push(await add())
        const seen = (await walk(probe, start, 'next')).flat()
        const expected = sort === 'oldest' ? ids : before.toReversed()
        if (seen.join() !== expected.join()) throw start.broken(`along the links: ids ${expected}`, `ids ${seen}`)
      }
    }),
  row('pets.list.etag.changes', 'The tag of a list changes when a pet is added to it.')
    .from(header('ETag'), {
      ...writing('pets.list.if-none-match', 'pets.list.category'),
      alone: true,
    })
    .check(tagChanges),
  row('pets.list.etag.links', 'The tag of a page covers its links: it changes when the page is no longer the last one.')
    .from(header('ETag'), {
      ...writing('pets.list.if-none-match', 'pets.list.category', 'pets.list.next'),
      alone: true,
    })
    .check(async (probe) => {
      const query = `/pets?${await view(probe)}`
      const { length } = (await probe.get(`${query}limit=100`)).expectStatus(200).array()
      const before = await probe.get(`${query}limit=${length}`)
      await addPet(probe, { categoryId: await ownCategory(probe) })
      const after = await probe.get(`${query}limit=${length}`, { 'If-None-Match': before.header('ETag') ?? '' })
      after.expectStatus(200).expectHeader('Link', /rel="next"/)
    }),
  ...conditionRows({
    level: 'pets',
    id: 'pets.get',
    operation: 'getPet',
    first: 'pets.get.success',
    path: async (probe) => `/pets/${await quietPet(probe)}`,
  }),
]
