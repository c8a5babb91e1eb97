// Level `interface`: which pets the interface document allows to create, and which creates a server must reject.

import type { JsonObject } from '../../../contract/src/json.ts'
import { number, sameValue, textOf } from '../answer.ts'
import { absentId, addPet, categoryOf, newName, petBody, retryStale, STATUSES } from '../fixtures.ts'
import { expectListed, firstList, LARGE, petOf, REFUSED_PET, wholeList } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { FIELD_PROMISES, type FieldPromise, wrongValues } from '../wrong-values.ts'
import { errorRows, JSON_MEDIA_TYPE } from './interface-keys.ts'
import { expectStatusOfPet, PET_FIELDS } from './interface-list.ts'
import { type Check, documented, rowsOf, whileGetPetExists, writing } from './shared/rows.ts'
import { described } from './shared/wrong-rows.ts'

const row = rowsOf('interface')
const PETS = 'Pets'
const POST = 'POST /pets'
const CREATED = writing('pets.create.success')
const WITH_ID = writing('pets.create.id')
const FIELDS_KEPT = ['pets.create.name', 'pets.create.category-id', 'pets.create.status.sold']
/** Without these promises, a pet cannot be found in a list. */
const SEEN = ['pets.create.id.unique', 'pets.list.limit.maximum']

/** A created pet: the fields sent, and the response. */
const added = (probe: Probe) =>
  probe.shared('added', async (own) => {
    const fields = { name: newName(), categoryId: await categoryOf(own), status: 'available' }
    return { fields, answer: await own.post('/pets', petBody(fields)) }
  })

const success: Check = async (probe) => {
  const { answer } = await added(probe)
  const isKnown = () => probe.get('/pets').then((list) => list.status === 200 && list.array().length > 0)
  if (answer.status === 400 && !(await isKnown())) {
    throw probe.unjudged('The server refuses the tried categories, and lists no pet with a usable one.')
  }
  answer.expectStatus(201)
}

/** Creates a pet with this value, and expects it in the response. Resolves with false if the server rejects it. */
async function isReturned(probe: Probe, field: string, value: string | bigint): Promise<boolean> {
  const answer = await probe.post('/pets', petBody({ categoryId: await categoryOf(probe), [field]: value }))
  // A server can have its own rules for names and categories.
  if (answer.status === 400 && field !== 'status') return false
  answer.expectStatus(201).expectMember(field, typeof value === 'bigint' ? number(value) : value)
  return true
}

const keeps = (field: string, value: () => string | bigint): Check => {
  return async (probe) => {
    if (!(await isReturned(probe, field, value()))) throw probe.unjudged(`The server refuses this ${field}.`)
  }
}

const HARD_NAME = ' Zoë Ωμέγα 犬 🐶  "the \\ dog/" <b>&amp;'

/**
 * Adds a pet whose name and category are easily corrupted. If the server rejects or changes them, adds a plain pet.
 */
async function addHard(probe: Probe, status: string): Promise<JsonObject> {
  const category = await categoryOf(probe)
  for (const [end, categoryId] of [
    [HARD_NAME, LARGE],
    [HARD_NAME, category],
    ['', LARGE],
  ] as const) {
    const fields = { name: newName() + end, categoryId, status }
    const answer = await probe.post('/pets', petBody(fields))
    const pet = answer.status === 201 ? petOf(answer, fields) : undefined
    if (pet?.entries().every(([name, value]) => sameValue(answer.object().get(name) ?? null, value))) return pet
  }
  const fields = { name: newName(), categoryId: category, status }
  return petOf(await addPet(probe, fields), fields)
}

const FETCHED_MAX = 8
const INT64 = { largest: 2n ** 63n - 1n, smallest: -(2n ** 63n), 'beyond-53-bits': 2n ** 53n + 1n }

const readable: Check = async (probe) => {
  await whileGetPetExists(probe)
  const isThere = (pet: JsonObject) =>
    retryStale(async () => {
      ;(await probe.read(`/pets/${textOf(pet.get('id'))}`)).expectMembers(pet)
    })
  await isThere(await addHard(probe, 'sold'))
  // A server can lose only some of many creates.
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

const ID = 'pets.create.refused.'

const notAdded: Check = async (probe) => {
  const name = newName(REFUSED_PET)
  ;(await probe.post('/pets', petBody({ name, status: 'gone' }))).expectStatus(400)
  await retryStale(async () => {
    const { answer, items } = await wholeList(probe, '/pets?')
    const isListed = items.some((pet) => pet.get('name') === name)
    answer.expect(!isListed, `no pet named ${name}`, 'a list with it')
  })
}

const NO_JSON = '{"name":"petstore verify",'
const FIRST = 'pets.create.refused.empty-object'
type Bodies = readonly (string | undefined)[]
/** The end of the id, a description, the premise, and the bodies. */
const BODIES: readonly (readonly [string, string, string, ...Bodies])[] = [
  ['empty-object', 'an empty object', FIRST, '{}'],
  ['no-body', 'a request without a body', FIRST, undefined],
  ['no-json', 'a body that is not JSON', FIRST, NO_JSON],
  ['no-object', 'a body that is an array', FIRST, '[]'],
  ['body-type', 'a body that is null, a number or a string', `${ID}no-object`, 'null', '7', '"petstore verify"'],
]
const FIELDS = FIELD_PROMISES.filter(({ id }) => id.startsWith(ID))

/** A server that accepts one kind of wrong value usually accepts the others, so the first promise is their premise. */
const premiseOf = ({ id, field, kinds }: FieldPromise) => {
  const first = FIELDS.find((one) => one.field === field)?.id
  return first === undefined || first === id || kinds.includes('missing') ? FIRST : first
}

/** Returns bodies with each wrong value. A wrong name is sent with a category that marks it as ours, too. */
const bodiesOf = (promise: FieldPromise, categoryId: bigint) =>
  wrongValues(promise).flatMap((value) =>
    promise.field === 'name'
      ? [LARGE, categoryId].map((id) => petBody({ categoryId: id, name: value }))
      : petBody({ categoryId, name: newName(REFUSED_PET), [promise.field]: value }),
  )

const refuses = (id: string, what: string, premise: string, bodies: (categoryId: bigint) => Bodies) =>
  row(id, `POST /pets returns 400 for ${what}.`)
    .from(documented(POST, '400'), writing(...(premise === id ? [] : [premise])))
    .check(async (probe) => {
      // Read the first list now, because a faulty server would add these pets to it.
      await firstList(probe).catch(() => undefined)
      for (const body of bodies(await categoryOf(probe))) (await probe.post('/pets', body)).expectStatus(400)
    })

export const interfaceCreate = [
  row('pets.create.success', 'POST /pets with a valid body returns 201.')
    .from(documented(POST, '201'), { needs: ['write'] })
    .check(success),
  row('pets.create.content-type', 'The created pet is returned as application/json in UTF-8.')
    .from(documented('Requests and responses', 'Media type'), CREATED)
    .check(async (probe) => (await added(probe)).answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)),
  row('pets.create.id', 'The response has the assigned id, an int64.')
    .from(documented(POST, '201'), CREATED)
    .check(async (probe) => (await added(probe)).answer.expectInt64('id')),
  row('pets.create.id.unique', 'The server assigns different ids to different pets.')
    .from(documented(PETS, '`id`'), writing('pets.create.id'))
    .check(async (probe) => {
      const { fields, answer: first } = await added(probe)
      const other = { ...fields, name: newName() }
      const taken = absentId()
      for (const body of [other, { ...other, id: number(taken) }, fields]) {
        const answer = await probe.post('/pets', petBody(body))
        // A server can reject an unknown field, and a second pet with the same name.
        if (answer.status === 400 && body !== other) continue
        answer.expectStatus(201)
        answer.expect(![first.id, taken].includes(answer.id), 'a different id', `id: ${answer.id} again`)
      }
    }),
  ...PET_FIELDS.slice(1).map(([name, end]) =>
    row(`pets.create.${end}`, `The response has the ${name} that was sent.`)
      .from(documented(PETS, 'Fields of a new pet'), WITH_ID)
      .check(async (probe) => {
        const { answer, fields } = await added(probe)
        answer.expectMember(name, name === 'name' ? fields.name : number(fields.categoryId))
        const values = name === 'name' ? [`${newName()}  x`, String(Date.now())] : [-7n]
        for (const value of values) await isReturned(probe, name, value)
      }),
  ),
  ...STATUSES.map((status) =>
    row(`pets.create.status.${status}`, `A pet can be created as ${status}, and the response has this status.`)
      .from(documented(PETS, '`status`'), WITH_ID)
      .check(keeps('status', () => status)),
  ),
  row('pets.create.status.omitted', 'A pet can be created without a status.')
    .from(documented(PETS, '`status`'), WITH_ID)
    .check(async (probe) => {
      const answer = await addPet(probe, { status: undefined })
      expectStatusOfPet(answer, answer.object(), STATUSES)
    }),
  row('pets.create.name.unicode', 'A name in any script is returned unchanged.')
    .from(documented(PETS, '`name`'), writing('pets.create.name'))
    .check(keeps('name', () => `${newName()} Zoë Ωμέγα 犬 🐶`)),
  row('pets.create.name.escapes', 'A name with quotes and backslashes is returned unchanged.')
    .from(documented(PETS, '`name`'), writing('pets.create.name'))
    .check(keeps('name', () => `${newName()} "the \\ dog/" <b>&amp;`)),
  ...Object.entries(INT64).map(([which, categoryId]) =>
    row(`pets.create.int64.${which}`, `The categoryId ${categoryId}, if accepted, is returned with every digit.`)
      .from(documented(PETS, 'int64'), writing('pets.create.category-id'))
      .check(keeps('categoryId', () => categoryId)),
  ),
  row('pets.create.readable', 'A created pet can be fetched, with every field as sent.')
    .from(documented('GET /pets/{petId}', 'Deprecation'), writing(...FIELDS_KEPT, 'pets.create.id.unique'))
    .check(readable),
  row('pets.create.listed', 'A created pet is listed, with every field as sent.')
    .from(documented(POST, '201'), writing('pets.create.category-id', 'pets.create.status.pending', ...SEEN))
    .check(listed('pending', '')),
  row('pets.create.filtered', 'A pet created as sold is in the list of sold pets.')
    .from(documented('GET /pets', '`status`'), writing('pets.create.status.sold', 'pets.list.status.sold', ...SEEN))
    .check(listed('sold', 'status=sold&')),
  ...BODIES.map(([name, what, premise, ...bodies]) => refuses(ID + name, what, premise, () => bodies)),
  ...FIELDS.map((one) => refuses(one.id, described([one]), premiseOf(one), (id) => bodiesOf(one, id))),
  row('pets.create.refused.not-added', 'A refused pet is not listed.')
    .from(documented(POST, '400'), writing('pets.create.refused.status-unknown', 'pets.create.listed'))
    .check(notAdded),
  ...errorRows(400, FIRST, (probe) => {
    const refused = petBody({ name: newName(REFUSED_PET), status: 'gone' })
    return Promise.all(['{}', refused, NO_JSON, undefined].map((body) => probe.post('/pets', body)))
  }),
]
