// Level `interface`: what the interface document says about fetching a pet.

import { textOf } from '../answer.ts'
import { absentId, PATIENT_TRIES, PAUSE_MS, STATUSES } from '../fixtures.ts'
import { listedPet, seeded, soundPets } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { errorRows, JSON_MEDIA_TYPE, whileGetPetExists } from './interface-keys.ts'
import { expectStatusOfPet } from './interface-list.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('interface')
const PETS = 'Pets'
const GET = 'GET /pets/{petId}'
const OF_LIST = reading('pets.list.array')
const OF_GET = reading('pets.get.success')

/** A listed pet and its GET response. Retries until they agree, up to PATIENT_TRIES. */
const fetched = (probe: Probe) =>
  probe.shared('fetched', async (own) => {
    whileGetPetExists(own)
    for (let n = 0; ; n++) {
      const listed = n === 0 ? await listedPet(own) : soundPets((await own.get('/pets')).objects())[0]
      if (!listed) throw new Unjudged('The server lists no pet.')
      const answer = await own.get(`/pets/${textOf(listed.get('id'))}`)
      const agree = () =>
        ['id', 'name', 'categoryId'].every((name) => textOf(answer.object().get(name)) === textOf(listed.get(name)))
      if (n === PATIENT_TRIES || (answer.status === 200 && /^\s*\{/.test(answer.text) && agree()))
        return { listed, answer }
      await Bun.sleep(PAUSE_MS * 2 ** n)
    }
  })

const AS_LISTED = [
  ['id', 'id', '`id`'],
  ['name', 'name', 'Fields of a pet'],
  ['categoryId', 'category-id', '`categoryId`'],
] as const

export const interfaceGet: readonly PromiseRow[] = [
  row('pets.get.success', 'GET /pets/{petId} of a listed pet returns 200, until the operation is removed.')
    .from(documented(GET, 'Deprecation'), OF_LIST)
    .check(async (probe) => (await fetched(probe)).answer.expectStatus(200)),
  row('pets.get.content-type', 'A pet is returned as application/json in UTF-8.')
    .from(documented('Requests and responses', 'Media type'), OF_GET)
    .check(async (probe) => (await fetched(probe)).answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)),
  ...AS_LISTED.map(([name, end, subject]) =>
    row(`pets.get.${end}`, `A fetched pet has the same ${name} as in the list.`)
      .from(documented(PETS, subject), reading('pets.get.success', `pets.list.item.${end}`))
      .check(async (probe) => {
        const { listed, answer } = await fetched(probe)
        answer.expectMember(name, listed.get(name))
      }),
  ),
  row('pets.get.status', 'The status of a fetched pet, if present, is available, pending or sold.')
    .from(documented(PETS, '`status`'), reading('pets.get.success', 'pets.list.item.status'))
    .check(async (probe) => {
      const { answer } = await fetched(probe)
      expectStatusOfPet(answer, answer.object(), STATUSES)
    }),
  row('pets.get.not-found', 'GET /pets/{petId} returns 404 if no pet has the id.')
    .from(documented(GET, '404'))
    .check(async (probe) => {
      whileGetPetExists(probe)
      await seeded(probe)
      ;(await probe.get(`/pets/${absentId()}`)).expectStatus(404)
    }),
  row('pets.get.not-found.int64', 'The largest int64 is a valid id: 404 if no pet has it.')
    .from(documented(PETS, 'int64'), reading('pets.get.not-found'))
    .check(async (probe) => {
      whileGetPetExists(probe)
      ;(await probe.get('/pets/9223372036854775807')).expectStatus(404, 200)
    }),
  ...errorRows(404, 'pets.get.not-found', async (probe) => [await probe.get(`/pets/${absentId()}`)]),
]
