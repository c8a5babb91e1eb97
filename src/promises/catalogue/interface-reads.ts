// Level `interface`: what the interface document says of listing and fetching pets, of keys and of errors.

import { operations } from '../../contract/contract.ts'
import { type Answer, textOf } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId, firstList, listedPet, STATUSES, seeded, settled, somePetId, wholeList } from '../fixtures.ts'
import type { Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { answers, type Check, documented, rowsOf } from './rows.ts'

const row = rowsOf('interface')
const PETS = 'Pets'
const LIST = 'GET /pets'
const GET = 'GET /pets/{petId}'
const OF_LIST = { after: ['pets.list.array'] }
const OF_GET = { after: ['pets.get.success'] }

/** application/json; RFC 8259, 8.1: in UTF-8, so a charset can only be that. */
export const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*|;(?!\s*charset\b)[^;]*)*$/i

export const INVALID_KEY = 'Bearer petstore-verify-no-such-key'

const sunset = operations.find(({ id }) => id === 'getPet')?.deprecation?.sunset ?? Number.POSITIVE_INFINITY

/** Throws Unjudged once the operation may have been removed. */
export function whileGetPetExists(): void {
  if (Date.now() >= sunset) throw new Unjudged('The operation was to be removed on 5 December 2030.')
}

/** The parts of an error that the document names. */
export function errorRows(status: number, first: string, ask: (probe: Probe) => Promise<Answer[]>) {
  const all =
    (expect: (answer: Answer) => void): Check =>
    async (probe) => {
      const answers = await probe.shared(`errors ${status}`, ask)
      const errors = answers.filter((answer) => answer.status === status)
      if (errors.length === 0) throw new Unjudged(`There was no ${status} to look at.`)
      for (const answer of errors) expect(answer)
    }
  const needs: Pick<PromiseRow, 'needs'> = status === 400 ? { needs: ['write'] } : {}
  const id = `errors.${status}`
  /** What is wrong in every error is told of the first. */
  const member = (name: string) => ({
    ...needs,
    after: [`${id}.content-type`, ...(status === 401 ? [] : [`errors.401.${name}`])],
  })
  return [
    row(
      `${id}.content-type`,
      `A ${status} has a body of application/json.`,
      documented('Errors', 'Other statuses'),
      all((answer) => answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)),
      { ...needs, after: [first] },
    ),
    row(
      `${id}.code`,
      `The body of a ${status} has a code, which is a string.`,
      documented('Errors', '`code`'),
      all((answer) => answer.expectString(answer.object(), 'code')),
      member('code'),
    ),
    row(
      `${id}.message`,
      `The body of a ${status} has a message, which is a string.`,
      documented('Errors', '`message`'),
      all((answer) => answer.expectString(answer.object(), 'message')),
      member('message'),
    ),
    row(
      `${id}.status`,
      `In the body of a ${status}, status is ${status}.`,
      documented('Errors', 'Body'),
      all((answer) => {
        const status = answer.expectInt64(answer.object(), 'status')
        if (status !== BigInt(answer.status)) throw answer.broken(`status: ${answer.status}`, `status: ${status}`)
      }),
      member('status'),
    ),
  ]
}

const onPet =
  (asking: { key?: 'none'; authorization?: string[] }): Check =>
  async (probe) => {
    const id = await somePetId(probe).catch(() => '1')
    whileGetPetExists()
    ;(await probe.ask(`GET /pets/${id}`, asking)).expectStatus(401)
  }

const keys = [
  row(
    'auth.missing.list',
    'Without an API key, GET /pets answers 401.',
    documented('Keys', 'The credential'),
    answers('GET /pets', 401, undefined, { key: 'none' }),
  ),
  row(
    'auth.missing.get',
    'Without an API key, GET /pets/{petId} answers 401.',
    documented('Keys', 'The credential'),
    onPet({ key: 'none' }),
  ),
  row(
    'auth.invalid.list',
    'With an invalid API key, GET /pets answers 401.',
    documented('Keys', '401'),
    answers('GET /pets', 401, undefined, { authorization: [INVALID_KEY] }),
  ),
  row(
    'auth.invalid.get',
    'With an invalid API key, GET /pets/{petId} answers 401.',
    documented('Keys', '401'),
    onPet({ authorization: [INVALID_KEY] }),
  ),
  ...errorRows(401, 'auth.missing.list', async (probe) => [
    await probe.ask('GET /pets', { key: 'none' }),
    await probe.ask('GET /pets', { authorization: [INVALID_KEY] }),
  ]),
]

/** A check of each pet of the first list. */
const each =
  (expect: (answer: Answer, pet: ReturnType<Answer['object']>) => void): Check =>
  async (probe) => {
    await listedPet(probe)
    const answer = await firstList(probe)
    for (const pet of answer.objects()) expect(answer, pet)
  }

/** `status` is optional: what has none says nothing of its availability. */
export function expectStatusOfPet(answer: Answer, pet: ReturnType<Answer['object']>, allowed: readonly string[]): void {
  const status = pet.get('status')
  if (status === undefined || allowed.includes(textOf(status))) return
  throw answer.broken(`status: ${allowed.join(', ')} or none`, `status: ${textOf(status)}`)
}

const atMost = (limit: number): Check => {
  return async (probe) => {
    await seeded(probe)
    const answer = (await probe.get(`/pets?limit=${limit}`)).expectStatus(200)
    const { length } = answer.array()
    if (length > limit) throw answer.broken(`at most ${limit} pet${limit === 1 ? '' : 's'}`, `${length} pets`)
  }
}

/** Without `limit`, as many as with the default. */
const byDefault: Check = async (probe) => {
  await seeded(probe)
  await settled(async () => {
    const twenty = (await probe.get('/pets?limit=20')).expectStatus(200).array().length
    const answer = (await probe.get('/pets')).expectStatus(200)
    const { length } = answer.array()
    if (length > 20) throw answer.broken('at most 20 pets', `${length} pets`)
    if (length !== twenty) throw answer.broken(`as many pets as with limit=20: ${twenty}`, `${length} pets`)
  })
}

const onlyStatus = (status: string, query: string): Check => {
  return async (probe) => {
    await seeded(probe)
    const answer = (await probe.get(`/pets?status=${status}${query}`)).expectStatus(200)
    for (const pet of answer.objects()) expectStatusOfPet(answer, pet, [status])
  }
}

/** A pet that a whole list shows also stands in the list of its status. */
const everyStatus: Check = async (probe) => {
  await seeded(probe)
  await settled(async () => {
    const all = (await probe.get('/pets?limit=100')).expectStatus(200).objects()
    for (const status of STATUSES) {
      const ofStatus = all.filter((pet) => pet.get('status') === status)
      const { answer, items } = await wholeList(probe, `/pets?status=${status}&`).catch(unjudgedAsNone)
      const shown = new Set(items.map((pet) => textOf(pet.get('id'))))
      const lost = answer && ofStatus.find((pet) => !shown.has(textOf(pet.get('id'))))
      if (lost) throw answer.broken(`pet ${textOf(lost.get('id'))}, which is ${status}`, 'a list without it')
    }
  })
}

function unjudgedAsNone(error: unknown): { answer: undefined; items: [] } {
  if (error instanceof Unjudged) return { answer: undefined, items: [] }
  throw error
}

const list = [
  row('pets.list.success', 'GET /pets answers 200.', documented(LIST, '`limit`'), async (probe) => {
    ;(await firstList(probe)).expectStatus(200)
  }),
  row(
    'pets.list.content-type',
    'The list of pets is application/json, in UTF-8.',
    documented('Requests and responses', 'Media type'),
    async (probe) => {
      ;(await firstList(probe)).expectHeader('Content-Type', JSON_MEDIA_TYPE)
    },
    { after: ['pets.list.success'] },
  ),
  row(
    'pets.list.array',
    'The body of a list is a JSON array of objects, without an envelope.',
    documented(LIST, 'Pages'),
    async (probe) => {
      ;(await firstList(probe)).objects()
    },
    { after: ['pets.list.success'] },
  ),
  row(
    'pets.list.item.id',
    'Each listed pet has an id, which is an int64.',
    documented(PETS, '`id`'),
    each((answer, pet) => answer.expectInt64(pet, 'id')),
    OF_LIST,
  ),
  row(
    'pets.list.item.name',
    'Each listed pet has a name, which is a string.',
    documented(PETS, 'Fields of a pet'),
    each((answer, pet) => answer.expectString(pet, 'name')),
    OF_LIST,
  ),
  row(
    'pets.list.item.category-id',
    'Each listed pet has a categoryId, which is an int64.',
    documented(PETS, '`categoryId`'),
    each((answer, pet) => answer.expectInt64(pet, 'categoryId')),
    OF_LIST,
  ),
  row(
    'pets.list.item.status',
    'The status of a listed pet, where it has one, is available, pending or sold.',
    documented(PETS, '`status`'),
    each((answer, pet) => expectStatusOfPet(answer, pet, STATUSES)),
    OF_LIST,
  ),
  row(
    'pets.list.ids.unique',
    'No two pets of a list have the same id.',
    documented(PETS, '`id`'),
    async (probe) => {
      await listedPet(probe)
      const answer = await firstList(probe)
      const ids = answer.objects().map((pet) => textOf(pet.get('id')))
      const twice = ids.find((id, index) => ids.indexOf(id) < index)
      if (twice !== undefined) throw answer.broken('ids that differ', `id ${twice} twice`)
    },
    OF_LIST,
  ),
  row(
    'pets.list.limit.default',
    'Without limit, a list has as many pets as with limit=20: at most 20.',
    documented(LIST, '`limit`'),
    byDefault,
    OF_LIST,
  ),
  ...([1, 3, 100] as const).map((limit) =>
    row(
      `pets.list.limit.${{ 1: 'minimum', 3: 'between', 100: 'maximum' }[limit]}`,
      `limit=${limit} gives at most ${limit} pet${limit === 1 ? '' : 's'}.`,
      documented(LIST, '`limit`'),
      atMost(limit),
      OF_LIST,
    ),
  ),
  ...STATUSES.map((status) =>
    row(
      `pets.list.status.${status}`,
      `With status=${status}, every listed pet is ${status}.`,
      documented(LIST, '`status`'),
      onlyStatus(status, ''),
      { after: ['pets.list.item.status'] },
    ),
  ),
  row(
    'pets.list.status.with-limit',
    'limit and status narrow a list together.',
    documented(LIST, '`status`'),
    async (probe) => {
      await seeded(probe)
      const answer = (await probe.get('/pets?limit=2&status=available')).expectStatus(200)
      const pets = answer.objects()
      if (pets.length > 2) throw answer.broken('at most 2 pets', `${pets.length} pets`)
      for (const pet of pets) expectStatusOfPet(answer, pet, ['available'])
    },
    { after: ['pets.list.limit.between', 'pets.list.status.available'] },
  ),
  row(
    'pets.list.status.complete',
    'A listed pet is also in the list of its status.',
    documented(LIST, '`status`'),
    everyStatus,
    { after: ['pets.list.limit.maximum', ...STATUSES.map((status) => `pets.list.status.${status}`)] },
  ),
]

/** A listed pet, and GET of it, as they agree, or as they did last. */
const fetched = (probe: Probe) =>
  probe.shared('fetched', async (own) => {
    whileGetPetExists()
    for (let n = 0; ; n++) {
      const listed = n === 0 ? await listedPet(own) : (await own.get('/pets')).objects()[0]
      if (!listed) throw new Unjudged('There is no pet to look at.')
      const answer = await own.get(`/pets/${textOf(listed.get('id'))}`)
      const agree = () =>
        ['id', 'name', 'categoryId'].every((name) => textOf(answer.object().get(name)) === textOf(listed.get(name)))
      if (n === 2 || (answer.status === 200 && /^\s*\{/.test(answer.text) && agree())) return { listed, answer }
    }
  })

const asListed = (name: string): Check => {
  return async (probe) => {
    const { listed, answer } = await fetched(probe)
    answer.expectMember(answer.object(), name, listed.get(name) ?? null)
  }
}

const get = [
  row(
    'pets.get.success',
    'GET /pets/{petId} of a listed pet answers 200, until the operation is removed.',
    documented(GET, 'Deprecation'),
    async (probe) => {
      ;(await fetched(probe)).answer.expectStatus(200)
    },
    OF_LIST,
  ),
  row(
    'pets.get.content-type',
    'A pet is application/json, in UTF-8.',
    documented('Requests and responses', 'Media type'),
    async (probe) => {
      ;(await fetched(probe)).answer.expectHeader('Content-Type', JSON_MEDIA_TYPE)
    },
    OF_GET,
  ),
  row('pets.get.id', 'A pet that is fetched has the id that was asked for.', documented(PETS, '`id`'), asListed('id'), {
    after: ['pets.get.success', 'pets.list.item.id'],
  }),
  row(
    'pets.get.name',
    'A pet that is fetched has the name that the list shows.',
    documented(PETS, 'Fields of a pet'),
    asListed('name'),
    { after: ['pets.get.success', 'pets.list.item.name'] },
  ),
  row(
    'pets.get.category-id',
    'A pet that is fetched has the categoryId that the list shows.',
    documented(PETS, '`categoryId`'),
    asListed('categoryId'),
    { after: ['pets.get.success', 'pets.list.item.category-id'] },
  ),
  row(
    'pets.get.status',
    'The status of a pet that is fetched, where it has one, is available, pending or sold.',
    documented(PETS, '`status`'),
    async (probe) => {
      const { answer } = await fetched(probe)
      expectStatusOfPet(answer, answer.object(), STATUSES)
    },
    { after: ['pets.get.success', 'pets.list.item.status'] },
  ),
  row(
    'pets.get.not-found',
    'GET /pets/{petId} answers 404 when no pet has the id.',
    documented(GET, '404'),
    async (probe) => {
      whileGetPetExists()
      await seeded(probe)
      ;(await probe.get(`/pets/${absentId()}`)).expectStatus(404)
    },
  ),
  row(
    'pets.get.not-found.int64',
    'The largest int64 is an id like others: 404 when no pet has it.',
    documented(PETS, 'int64'),
    async (probe) => {
      whileGetPetExists()
      ;(await probe.get('/pets/9223372036854775807')).expectStatus(404, 200)
    },
    { after: ['pets.get.not-found'] },
  ),
  ...errorRows(404, 'pets.get.not-found', async (probe) => [await probe.get(`/pets/${absentId()}`)]),
]

export const interfaceReads: readonly PromiseRow[] = [...keys, ...list, ...get]
