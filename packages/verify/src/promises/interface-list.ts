// Level `interface`: what the interface document says about listing pets.

import type { JsonObject } from '../../../contract/src/json.ts'
import { type Answer, textOf } from '../answer.ts'
import { retryStale, STATUSES } from '../fixtures.ts'
import { firstList, firstOfStatuses, listedPet, listIfWhole, seeded, soundPets } from '../pet-lists.ts'
import { JSON_MEDIA_TYPE } from './interface-keys.ts'
import { type Check, documented, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('interface')
const PETS = 'Pets'
const LIST = 'GET /pets'
const EACH_STATUS = STATUSES.map((status) => `pets.list.status.${status}`)
const OF_LIST = reading('pets.list.array')

/** Checks each pet of the first list. */
const each =
  (expect: (answer: Answer, pet: JsonObject) => void): Check =>
  async (probe) => {
    await listedPet(probe)
    const answer = await firstList(probe)
    for (const pet of soundPets(answer.objects())) expect(answer, pet)
  }

/** `status` is optional. */
export function expectStatusOfPet(answer: Answer, pet: JsonObject, allowed: readonly string[]): void {
  const status = pet.get('status')
  const isAllowed = status === undefined || allowed.includes(textOf(status))
  answer.expect(isAllowed, `status: ${allowed.join(', ')} or none`, `status: ${textOf(status)}`)
}

const atMost = (limit: number): Check => {
  return async (probe) => {
    await seeded(probe)
    ;(await probe.read(`/pets?limit=${limit}`)).expectAtMost(limit)
  }
}

/** Expects as many pets without `limit` as with the default. */
const byDefault: Check = async (probe) => {
  await seeded(probe)
  for (const path of ['/pets', '/pets?status=available']) {
    await retryStale(async () => {
      const twenty = (await probe.read(`${path}${path.includes('?') ? '&' : '?'}limit=20`)).array().length
      const answer = (await probe.read(path)).expectAtMost(20)
      const { length } = answer.array()
      answer.expect(length === twenty, `as many pets as with limit=20: ${twenty}`, `${length} pets`)
    })
  }
}

/** The fields of each pet: the name, the end of ids, the item of the interface document, and what it must be. */
export const PET_FIELDS = [
  ['id', 'id', '`id`', 'an int64'],
  ['name', 'name', 'Fields of a pet', 'a string'],
  ['categoryId', 'category-id', '`categoryId`', 'an int64'],
] as const

const onlyStatus = (status: (typeof STATUSES)[number]): Check => {
  return async (probe) => {
    const first = (await firstOfStatuses(probe))[STATUSES.indexOf(status)] as Answer
    await seeded(probe)
    for (const answer of probe.target.write ? [first, await probe.get(first.request.path)] : [first])
      for (const pet of answer.expectStatus(200).objects()) expectStatusOfPet(answer, pet, [status])
  }
}

/** Sends both orders of the parameters. A server that limits before it filters only finds the first pet's status. */
const byStatusAndLimit: Check = async (probe) => {
  await seeded(probe)
  for (const query of STATUSES.flatMap((one) => [`limit=1&status=${one}`, `status=${one}&limit=1`])) {
    const status = query.replace(/.*status=(\w+).*/, '$1')
    const answer = (await probe.read(`/pets?${query}`)).expectAtMost(1)
    for (const pet of answer.objects()) expectStatusOfPet(answer, pet, [status])
    if (answer.array().length > 0) continue
    await retryStale(async () => {
      const { length } = (await probe.read(`/pets?status=${status}`)).array()
      const again = await probe.read(`/pets?${query}`)
      again.expect(length === 0 || again.array().length > 0, `a pet that is ${status}`, '[]')
    })
  }
}

/** Expects each pet of a complete list in the list of its status. */
const everyStatus: Check = async (probe) => {
  await seeded(probe)
  const idsOf = (pets: readonly JsonObject[]) => new Set(pets.map((pet) => textOf(pet.get('id'))))
  const having = async (status: string) => {
    const all = (await probe.read('/pets?limit=100')).objects()
    return idsOf(all.filter((pet) => pet.get('status') === status))
  }
  await retryStale(async () => {
    for (const status of STATUSES) {
      const before = await having(status)
      const list = await listIfWhole(probe, `/pets?status=${status}&`)
      // A pet whose status changed in between can be in either list.
      const lasting = before.intersection(await having(status))
      const [lost] = list ? lasting.difference(idsOf(list.items)) : []
      if (lost !== undefined) throw list?.answer.broken(`pet ${lost}, which is ${status}`, 'a list without it')
    }
  })
}

export const interfaceList = [
  row('pets.list.success', 'GET /pets returns 200.')
    .from(documented(LIST, '`limit`'))
    .check(async (probe) => (await firstList(probe)).expectStatus(200)),
  row('pets.list.content-type', 'The list of pets is returned as application/json in UTF-8.')
    .from(documented('Requests and responses', 'Media type'), reading('pets.list.success'))
    .check(async (probe) => (await firstList(probe)).expectHeader('Content-Type', JSON_MEDIA_TYPE)),
  row('pets.list.array', 'The body is a JSON array of objects, without an envelope.')
    .from(documented(LIST, 'Pages'), reading('pets.list.success'))
    .check(async (probe) => (await firstList(probe)).objects()),
  ...PET_FIELDS.map(([name, end, subject, type]) =>
    row(`pets.list.item.${end}`, `The ${name} of each listed pet is ${type}.`)
      .from(documented(PETS, subject), OF_LIST)
      .check(each((answer, pet) => answer[type === 'a string' ? 'expectString' : 'expectInt64'](name, pet))),
  ),
  row('pets.list.item.status', 'The status of a listed pet, if present, is available, pending or sold.')
    .from(documented(PETS, '`status`'), OF_LIST)
    .check(each((answer, pet) => expectStatusOfPet(answer, pet, STATUSES))),
  row('pets.list.ids.unique', 'No two pets in a list have the same id.')
    .from(documented(PETS, '`id`'), OF_LIST)
    .check(async (probe) => {
      await listedPet(probe)
      const answer = await firstList(probe)
      const { ids } = answer
      const twice = ids.find((id, index) => ids.indexOf(id) < index)
      answer.expect(twice === undefined, 'different ids', `id ${twice} twice`)
    }),
  row('pets.list.limit.default', 'Without limit, a list has as many pets as with limit=20.')
    .from(documented(LIST, '`limit`'), OF_LIST)
    .check(byDefault),
  ...Object.entries({ minimum: 1, between: 3, maximum: 100 }).map(([end, limit]) =>
    row(`pets.list.limit.${end}`, `limit=${limit} returns at most ${limit} pet${limit === 1 ? '' : 's'}.`)
      .from(documented(LIST, '`limit`'), OF_LIST)
      .check(atMost(limit)),
  ),
  row('pets.list.limit.others', 'Other limits, such as 7 and 80, return at most that many pets.')
    .from(documented(LIST, '`limit`'), reading('pets.list.limit.between'))
    .check(async (probe) => {
      for (const limit of [7, 19, 33, 50, 64, 80, 98, 99]) await atMost(limit)(probe)
    }),
  ...STATUSES.map((status) =>
    row(`pets.list.status.${status}`, `With status=${status}, every listed pet is ${status}.`)
      .from(documented(LIST, '`status`'), reading('pets.list.item.status'))
      .check(onlyStatus(status)),
  ),
  row('pets.list.status.with-limit', 'limit and status can be combined.')
    .from(documented(LIST, '`status`'), reading('pets.list.limit.minimum', ...EACH_STATUS))
    .check(byStatusAndLimit),
  row('pets.list.status.complete', 'A listed pet is also in the list of its status.')
    .from(documented(LIST, '`status`'), reading('pets.list.limit.maximum', ...EACH_STATUS))
    .check(everyStatus),
]
