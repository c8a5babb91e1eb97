// Level `interface`: what the interface document says of adding pets. Names are ours, so that what was added can be recognised.

import { type JsonObject, parseJson } from '../../../contract/src/json.ts'
import { number, sameValue, textOf } from '../answer.ts'
import {
  absentId,
  addPet,
  categoryOf,
  eventually,
  expectListed,
  LARGE,
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

/** Expects the value in the answer. A server may refuse it. */
const keepsIfTaken = async (probe: Probe, name: 'name' | 'categoryId', value: string | bigint): Promise<void> => {
  const answer = await probe.post('/pets', petBody({ categoryId: await categoryOf(probe), [name]: value }))
  if (answer.status === 400) return
  answer.expectStatus(201).expectMember(name, typeof value === 'bigint' ? number(value) : value)
}

/** A server may refuse a number as an identifier; one that it takes has to come back. */
const keepsExactly = (categoryId: bigint): Check => {
  return async (probe) => {
    const answer = await probe.post('/pets', petBody({ categoryId, status: 'sold' }))
    if (answer.status === 400) throw new Unjudged(`The server refuses the categoryId ${categoryId}.`)
    answer.expectStatus(201).expectMember('categoryId', number(categoryId))
  }
}

const ENDS = { name: 'name', categoryId: 'category-id' }
const HARD_NAME = 'Zoë Ωμέγα 犬 🐶  "the \\ dog/" <b>&amp;'

/** Adds a pet with a name and a category that are often changed by mistake. If the server refuses or changes them, adds a plain one. */
async function addHard(probe: Probe, status: string): Promise<JsonObject> {
  const category = await categoryOf(probe)
  const attempts = [
    { name: `${newName()} ${HARD_NAME}`, categoryId: LARGE, status },
    { name: `${newName()} ${HARD_NAME}`, categoryId: category, status },
    { name: newName(), categoryId: LARGE, status },
  ]
  for (const fields of attempts) {
    const answer = await probe.post('/pets', petBody(fields))
    if (answer.status !== 201) continue
    const pet = petOf(answer, fields)
    if ([...pet].every(([name, value]) => sameValue(answer.object().get(name) ?? null, value))) return pet
  }
  const fields = { name: newName(), categoryId: category, status }
  return petOf(await addPet(probe, fields), fields)
}

const FETCHED_MAX = 8

const readable: Check = async (probe) => {
  whileGetPetExists()
  const isThere = (pet: JsonObject) =>
    eventually(async () => {
      ;(await probe.read(`/pets/${textOf(pet.get('id'))}`)).expectMembers(pet)
    }, PATIENT_TRIES)
  await isThere(await addHard(probe, 'sold'))
  // A server may lose only some of many creates.
  const others = probe.seen.filter(
    ({ request, status, faulted }) =>
      request.method === 'POST' && request.path === '/pets' && status === 201 && !faulted,
  )
  for (const answer of others.slice(-FETCHED_MAX)) {
    const shown = ['id', 'name', 'categoryId'].map((name) => [name, answer.object().get(name) ?? null] as const)
    await isThere(new Map(shown))
  }
}

const listed = (status: string, query: string): Check => {
  return async (probe) => expectListed(probe, `/pets?${query}`, await addHard(probe, status))
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
  row('pets.create.id.unique', 'Two pets get different ids, which the server assigns.')
    .from(documented(PETS, '`id`'), writing('pets.create.id'))
    .check(async (probe) => {
      const { fields, answer: first } = await added(probe)
      const other = { ...fields, name: newName() }
      const taken = absentId()
      for (const body of [other, { ...other, id: number(taken) }, fields]) {
        const answer = await probe.post('/pets', petBody(body))
        // A server may refuse an unknown field, and a second pet of the same name.
        if (answer.status === 400 && body !== other) continue
        answer.expectStatus(201)
        answer.expect(![first.id, taken].includes(answer.id), 'another id', `id: ${answer.id} again`)
      }
    }),
  ...(['name', 'categoryId'] as const).map((name) =>
    row(`pets.create.${ENDS[name]}`, `The answer to a create has the ${name} that was sent.`)
      .from(documented(PETS, 'Fields of a new pet'), WITH_ID)
      .check(async (probe) => {
        const { answer, fields } = await added(probe)
        answer.expectMember(name, name === 'name' ? fields.name : number(fields.categoryId))
        const values = name === 'name' ? [`${newName()}  x`, String(Date.now())] : [-7n]
        for (const value of values) await keepsIfTaken(probe, name, value)
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
      writing('pets.create.name', 'pets.create.category-id', 'pets.create.status.sold', 'pets.create.id.unique'),
    )
    .check(readable),
  row('pets.create.listed', 'A pet that was added is listed, with every field as it was sent.')
    .from(documented(POST, '201'), writing('pets.create.category-id', 'pets.create.status.pending', ...SEEN))
    .check(listed('pending', '')),
  row('pets.create.filtered', 'A pet that was added as sold is in the list of those that are sold.')
    .from(documented('GET /pets', '`status`'), writing('pets.create.status.sold', 'pets.list.status.sold', ...SEEN))
    .check(listed('sold', 'status=sold&')),
]
