// Levels `interface` and `pets`: fetching a pet. Its rows are not judged after the removal of the operation.

import { textOf } from '../answer.ts'
import { absentId, PATIENT_TRIES, PAUSE_MS, STATUSES } from '../fixtures.ts'
import { listedPet, seeded, somePetId, soundPets } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { wrongIntegers } from '../wrong-values.ts'
import { errorRows, JSON_MEDIA_TYPE } from './interface-keys.ts'
import { expectStatusOfPet, PET_FIELDS } from './interface-list.ts'
import { linkOf } from './shared/links.ts'
import { answers, documented, header, parameter, reading, rowsOf, since, sunset } from './shared/rows.ts'

const row = rowsOf('pets')
const FETCHED = reading('pets.get.success')
const somePet = async (probe: Probe) => probe.read(`/pets/${await somePetId(probe)}`)

const documentRow = rowsOf('interface')
const GET = 'GET /pets/{petId}'

/** A listed pet and its GET response. Retries until they agree, up to PATIENT_TRIES. */
const fetched = (probe: Probe) =>
  probe.shared('fetched', async (own) => {
    for (let n = 0; ; n++) {
      const listed = n === 0 ? await listedPet(own) : soundPets((await own.get('/pets')).objects())[0]
      if (!listed) throw own.unjudged('The server lists no pet.')
      const answer = await own.get(`/pets/${textOf(listed.get('id'))}`)
      const agree = () => PET_FIELDS.every(([name]) => textOf(answer.object().get(name)) === textOf(listed.get(name)))
      if (n === PATIENT_TRIES || (answer.status === 200 && /^\s*\{/.test(answer.text) && agree()))
        return { listed, answer }
      await Bun.sleep(PAUSE_MS * 2 ** n)
    }
  })

export const getPetPromises = [
  documentRow('pets.get.success', 'GET /pets/{petId} of a listed pet returns 200, until the operation is removed.')
    .from(documented(GET, 'Deprecation'), reading('pets.list.array'))
    .check(async (probe) => (await fetched(probe)).answer.expectStatus(200)),
  documentRow('pets.get.content-type', 'A pet is returned as application/json in UTF-8.')
    .from(documented('Requests and responses', 'Media type'), FETCHED)
    .check(async (probe) => (await fetched(probe)).answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)),
  ...PET_FIELDS.map(([name, end, subject]) =>
    documentRow(`pets.get.${end}`, `A fetched pet has the same ${name} as in the list.`)
      .from(documented('Pets', subject), reading('pets.get.success', `pets.list.item.${end}`))
      .check(async (probe) => {
        const { listed, answer } = await fetched(probe)
        answer.expectMember(name, listed.get(name))
      }),
  ),
  documentRow('pets.get.status', 'The status of a fetched pet, if present, is available, pending or sold.')
    .from(documented('Pets', '`status`'), reading('pets.get.success', 'pets.list.item.status'))
    .check(async (probe) => {
      const { answer } = await fetched(probe)
      expectStatusOfPet(answer, answer.object(), STATUSES)
    }),
  documentRow('pets.get.not-found', 'GET /pets/{petId} returns 404 if no pet has the id.')
    .from(documented(GET, '404'))
    .check(async (probe) => {
      await seeded(probe)
      ;(await probe.get(`/pets/${absentId()}`)).expectStatus(404)
    }),
  documentRow('pets.get.not-found.int64', 'The largest int64 is a valid id: 404 if no pet has it.')
    .from(documented('Pets', 'int64'), reading('pets.get.not-found'))
    .check(async (probe) => (await probe.get('/pets/9223372036854775807')).expectStatus(404, 200)),
  ...errorRows(404, 'pets.get.not-found', async (probe) => [await probe.get(`/pets/${absentId()}`)]),
  row('pets.get.no-id', 'A petId that is not an int64 in plain decimal: 404 not_found.')
    .from(parameter('getPet', 'petId'))
    .check(async (probe) => {
      const known = await somePetId(probe).catch(() => '1')
      for (const id of [...wrongIntegers(known), ' ', '1;2'])
        (await probe.get(`/pets/${encodeURIComponent(id)}`)).expectError(404, 'not_found')
    }),
  // A separate promise, because a gateway can reject such a path.
  row('pets.get.no-id.nul', 'A petId with an encoded U+0000: 404 not_found.')
    .from(parameter('getPet', 'petId'), reading('pets.get.no-id'))
    .check(answers('GET /pets/%00', 404, 'not_found')),
  row('pets.get.deprecation', 'Deprecation has the date of the deprecation, Sunset the date of the removal.')
    .from([header('Deprecation'), header('Sunset')], FETCHED)
    .check(async (probe) =>
      (await somePet(probe))
        .expectHeader('Deprecation', `@${since / 1000}`)
        .expectHeader('Sunset', new Date(sunset).toUTCString()),
    ),
  row('pets.get.link', 'Link has rel="deprecation", and rel="successor-version" with the pets of its status.')
    .from(header('DeprecationLinks'), FETCHED)
    .check(async (probe) => {
      const answer = await somePet(probe)
      const successor = `/v1/pets?status=${textOf(answer.object().get('status'))}`
      const isLinked = linkOf(answer, 'deprecation') && linkOf(answer, 'successor-version')?.endsWith(successor)
      answer.expect(!!isLinked, 'Link with both relations', `Link: ${answer.header('Link') ?? 'none'}`)
    }),
  row('pets.get.deprecation.not-found', 'A 404 has Deprecation and Sunset, too.')
    .from(documented('GET /pets/{petId}', 'Deprecation'), reading('pets.get.deprecation'))
    .check(async (probe) =>
      (await probe.get(`/pets/${absentId()}`)).expectHeader('Deprecation', /./).expectHeader('Sunset', /./),
    ),
]
