// Level `interface`: what the interface document says of adding pets. Names are ours, so that what was added can be recognised.

import { parseJson } from '../../../contract/src/json.ts'
import { number, textOf } from '../answer.ts'
import {
  addPet,
  categoryOf,
  eventually,
  expectListed,
  newName,
  PATIENT_TRIES,
  petBody,
  petOf,
  STATUSES,
} from '../fixtures.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { JSON_MEDIA_TYPE, whileGetPetExists } from './interface-keys.ts'
import { expectStatusOfPet } from './interface-list.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('interface')
const PETS = 'Pets'
const POST = 'POST /pets'
const CREATED = writing('pets.create.success')
const WITH_ID = writing('pets.create.id')
/** What has to hold for a pet to be found in a list. */
const SEEN = ['pets.create.id.unique', 'pets.list.limit.maximum']

/** A pet that was added, as it was sent and as the response showed it. */
const added = (probe: Probe) =>
  probe.shared('added', async (own) => {
    const fields = { name: newName(), categoryId: await categoryOf(own), status: 'available' }
    return { fields, answer: await own.post('/pets', petBody(fields)) }
  })

const success: Check = async (probe) => {
  const { answer } = await added(probe)
  const isKnown = () => probe.get('/pets').then((list) => list.status === 200 && list.array().length > 0)
  if (answer.status === 400 && !(await isKnown())) {
    throw new Unjudged('The server refuses the categories that were tried, and lists no pet whose category exists.')
  }
  answer.expectStatus(201)
}

/** The response to a create with these fields has them. */
const keeps = (fields: () => Record<string, unknown>, ...names: string[]): Check => {
  return async (probe) => {
    const sent = petBody({ categoryId: await categoryOf(probe), ...fields() })
    const answer = await probe.post('/pets', sent)
    // A server may have rules for names.
    if (answer.status === 400 && names[0] === 'name') throw new Unjudged('The server refuses this name.')
    answer.expectStatus(201)
    const expected = parseJson(sent)
    if (!(expected instanceof Map)) return
    for (const name of names) answer.expectMember(name, expected.get(name))
  }
}

/** A server may refuse a number as an identifier; one that it takes has to come back. */
const keepsExactly = (categoryId: bigint): Check => {
  return async (probe) => {
    const answer = await probe.post('/pets', petBody({ categoryId, status: 'sold' }))
    if (answer.status === 400) throw new Unjudged(`The server refuses the categoryId ${categoryId}.`)
    answer.expectStatus(201).expectMember('categoryId', number(categoryId))
  }
}

const LARGE = 9007199254740993n

/** A category with more than 53 bits, where the server takes it and shows it whole. */
const largeCategory = (probe: Probe) =>
  probe.shared('large category', async (own) => {
    const answer = await own.post('/pets', petBody({ categoryId: LARGE, status: 'sold' }))
    const isKept = answer.status === 201 && textOf(answer.object().get('categoryId')) === String(LARGE)
    return isKept ? LARGE : categoryOf(own)
  })

const readable: Check = async (probe) => {
  whileGetPetExists()
  const fields = { name: newName(), categoryId: await largeCategory(probe), status: 'sold' }
  const pet = petOf(await addPet(probe, fields), fields)
  await eventually(async () => {
    ;(await probe.read(`/pets/${textOf(pet.get('id'))}`)).expectMembers(pet)
  }, PATIENT_TRIES)
}

const listed = (status: string, query: string): Check => {
  return async (probe) => {
    const fields = { name: newName(), categoryId: await largeCategory(probe), status }
    await expectListed(probe, `/pets?${query}`, petOf(await addPet(probe, fields), fields))
  }
}

export const interfaceCreate: readonly PromiseRow[] = [
  row('pets.create.success', 'POST /pets with a valid body answers 201.')
    .from(documented(POST, '201'), {
      needs: ['write'],
    })
    .check(success),
  row('pets.create.content-type', 'The pet that was added is application/json, in UTF-8.')
    .from(documented('Requests and responses', 'Media type'), CREATED)
    .check(async (probe) => (await added(probe)).answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)),
  row('pets.create.id', 'The answer to a create has the id that was assigned, an int64.')
    .from(documented(POST, '201'), CREATED)
    .check(async (probe) => (await added(probe)).answer.expectInt64('id')),
  row('pets.create.id.unique', 'Two pets get different ids.')
    .from(documented(PETS, '`id`'), writing('pets.create.id'))
    .check(async (probe) => {
      const first = await added(probe)
      const second = await addPet(probe)
      second.expect(second.id !== first.answer.id, 'another id', `id: ${second.id} again`)
    }),
  ...(['name', 'categoryId'] as const).map((name) =>
    row(
      `pets.create.${name === 'name' ? 'name' : 'category-id'}`,
      `The answer to a create has the ${name} that was sent.`,
    )
      .from(documented(PETS, 'Fields of a new pet'), WITH_ID)
      .check(async (probe) => {
        const { answer, fields } = await added(probe)
        answer.expectMember(name, name === 'name' ? fields.name : number(fields.categoryId))
      }),
  ),
  ...STATUSES.map((status) =>
    row(`pets.create.status.${status}`, `A pet can be added as ${status}, and the answer says so.`)
      .from(documented(PETS, '`status`'), WITH_ID)
      .check(keeps(() => ({ status }), 'status')),
  ),
  row('pets.create.status.omitted', 'A pet can be added without a status.')
    .from(documented(PETS, '`status`'), WITH_ID)
    .check(async (probe) => {
      const answer = await addPet(probe, { status: undefined })
      expectStatusOfPet(answer, answer.object(), STATUSES)
    }),
  row('pets.create.name.unicode', 'A name in any script comes back unchanged.')
    .from(documented(PETS, '`name`'), writing('pets.create.name'))
    .check(keeps(() => ({ name: `${newName()} Zoë Ωμέγα 犬 🐶` }), 'name')),
  row('pets.create.name.escapes', 'A name with quotes and backslashes comes back unchanged.')
    .from(documented(PETS, '`name`'), writing('pets.create.name'))
    .check(keeps(() => ({ name: `${newName()} "the \\ dog/" <b>&amp;` }), 'name')),
  ...(
    [
      ['largest', 2n ** 63n - 1n],
      ['smallest', -(2n ** 63n)],
      ['beyond-53-bits', 2n ** 53n + 1n],
    ] as const
  ).map(([which, categoryId]) =>
    row(`pets.create.int64.${which}`, `The categoryId ${categoryId}, where it is taken, comes back with every digit.`)
      .from(documented(PETS, 'int64'), writing('pets.create.category-id'))
      .check(keepsExactly(categoryId)),
  ),
  row('pets.create.readable', 'A pet that was added can be fetched, with every field as it was sent.')
    .from(
      documented('GET /pets/{petId}', 'Deprecation'),
      writing('pets.create.category-id', 'pets.create.status.sold', 'pets.create.id.unique'),
    )
    .check(readable),
  row('pets.create.listed', 'A pet that was added is listed, with every field as it was sent.')
    .from(documented(POST, '201'), writing('pets.create.category-id', 'pets.create.status.pending', ...SEEN))
    .check(listed('pending', '')),
  row('pets.create.filtered', 'A pet that was added as sold is in the list of those that are sold.')
    .from(documented('GET /pets', '`status`'), writing('pets.create.status.sold', 'pets.list.status.sold', ...SEEN))
    .check(listed('sold', 'status=sold&')),
]
