// Level `pets`: what this project adds to listing, fetching and adding pets.

import { operations } from '../../contract/contract.ts'
import { number, textOf } from '../answer.ts'
import { absentId, addPet, petBody, prepared, STATUSES, seeded, somePetId } from '../fixtures.ts'
import type { Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { type BodyFamily, bodyRows, textRows } from './bodies.ts'
import { conditionRows } from './conditions.ts'
import { whileGetPetExists } from './interface-reads.ts'
import { listRows } from './lists.ts'
import { linkOf } from './pages.ts'
import {
  answers,
  type Check,
  documented,
  header,
  operation,
  parameter,
  refuses,
  rowsOf,
  schema,
  writing,
} from './rows.ts'

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

const list = listRows({
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
  prepared(probe, 'quiet pet', async (own) =>
    own.target.write ? textOf((await addPet(own, { status: 'sold' })).object().get('id')) : somePetId(own),
  )

const conditions = [
  ...conditionRows({
    level: 'pets',
    id: 'pets.list',
    operation: 'listPets',
    first: 'pets.list.array',
    path: async (probe) => `/pets?${await view(probe)}limit=4`,
  }),
  row('pets.list.etag.changes', 'The tag of a list changes when a pet is added to it.', header('ETag'), tagChanges, {
    ...writing('pets.list.if-none-match', 'pets.list.category'),
    alone: true,
  }),
  row(
    'pets.list.etag.links',
    'The tag of a page covers its links: it changes when the page is no longer the last one.',
    header('ETag'),
    async (probe) => {
      const query = `/pets?${await view(probe)}`
      const { length } = (await probe.get(`${query}limit=100`)).expectStatus(200).array()
      const before = await probe.get(`${query}limit=${length}`)
      await addPet(probe, { categoryId: await ownCategory(probe) })
      const after = await probe.get(`${query}limit=${length}`, { 'If-None-Match': before.header('ETag') ?? '' })
      after.expectStatus(200).expectHeader('Link', /rel="next"/)
    },
    { ...writing('pets.list.if-none-match', 'pets.list.category', 'pets.list.next'), alone: true },
  ),
  ...conditionRows({
    level: 'pets',
    id: 'pets.get',
    operation: 'getPet',
    first: 'pets.get.success',
    path: async (probe) => `/pets/${await quietPet(probe)}`,
  }),
]

const deprecation = operations.find(({ id }) => id === 'getPet')?.deprecation
/** ID stands for that of a pet. */
const NO_IDS: Record<string, readonly [string, readonly string[], string?]> = {
  text: ['that is no number', ['x', '%20', '1;2']],
  nul: ['with an encoded U+0000', ['%00'], 'text'],
  range: ['outside int64', ['9223372036854775808', '-9223372036854775809']],
  spelling: ['that is not in plain decimal', ['0ID', '%2BID', 'ID.0', 'IDe0', '-0', 'ID%20', '%D9%A1'], 'text'],
}

/** Rows for a header of every answer of getPet. */
const announced = (name: string, expected: string | RegExp): Check => {
  return async (probe) => {
    whileGetPetExists()
    ;(await probe.get(`/pets/${await somePetId(probe)}`)).expectHeader(name, expected)
  }
}
const linked = (relation: string, expected: RegExp): Check => {
  return async (probe) => {
    whileGetPetExists()
    const answer = await probe.get(`/pets/${await somePetId(probe)}`)
    const target = linkOf(answer, relation)
    if (target === undefined || !expected.test(target))
      throw answer.broken(
        `Link with rel="${relation}" to ${expected.source}`,
        `Link: ${answer.header('Link') ?? 'none'}`,
      )
  }
}
const FETCHED = { after: ['pets.get.success'] }
const [since, sunset] = [deprecation?.since ?? 0, deprecation?.sunset ?? 0]

const get = [
  ...Object.entries(NO_IDS).map(([name, [words, ids, after]]) =>
    row(
      `pets.get.no-id.${name}`,
      `A petId ${words}: 404 not_found.`,
      parameter('getPet', 'petId'),
      async (probe) => {
        whileGetPetExists()
        const known = await somePetId(probe).catch(() => '1')
        for (const id of ids) (await probe.get(`/pets/${id.replace('ID', known)}`)).expectError(404, 'not_found')
      },
      after ? { after: [`pets.get.no-id.${after}`] } : {},
    ),
  ),
  row(
    'pets.get.deprecation',
    'Deprecation says since when getPet is deprecated (RFC 9745).',
    header('Deprecation'),
    announced('Deprecation', `@${since / 1000}`),
    FETCHED,
  ),
  row(
    'pets.get.sunset',
    'Sunset says when getPet will be removed (RFC 8594).',
    header('Sunset'),
    announced('Sunset', new Date(sunset).toUTCString()),
    FETCHED,
  ),
  row(
    'pets.get.link.successor',
    'Link has rel="successor-version": the list of available pets.',
    header('DeprecationLinks'),
    linked('successor-version', /\/v1\/pets\?status=available$/),
    FETCHED,
  ),
  row(
    'pets.get.link.deprecation',
    'Link has rel="deprecation".',
    header('DeprecationLinks'),
    linked('deprecation', /./),
    FETCHED,
  ),
  row(
    'pets.get.deprecation.not-found',
    'A 404 of getPet announces its removal, too.',
    documented('GET /pets/{petId}', 'Deprecation'),
    async (probe) => {
      whileGetPetExists()
      const answer = await probe.get(`/pets/${absentId()}`)
      answer.expectHeader('Deprecation', /./).expectHeader('Sunset', /./)
    },
    { after: ['pets.get.deprecation', 'pets.get.sunset'] },
  ),
]

const CREATE: BodyFamily = {
  level: 'pets',
  id: 'pets.create',
  operation: 'createPet',
  invalid: 'invalid_pet',
  text: 'name',
  body: async (_, fields = {}) => petBody(fields),
  send: (probe, body, asking) => probe.post('/pets', body, asking),
  others: (body) => [
    body.replace('"categoryId":7', '"categoryId":8'),
    body.replace('"name":"', '"name":"another '),
    body.replace('"available"', '"sold"'),
  ],
}
const CREATED = writing('pets.create.success')
const categorySource = schema('NewPet', 'categoryId')

/** A categoryId as it is written, and as it is read. */
const reads = (...pairs: readonly (readonly [string, string])[]): Check => {
  return async (probe) => {
    for (const [written, meant] of pairs) {
      const answer = (await probe.post('/pets', petBody({ categoryId: number(written) }))).expectStatus(201)
      answer.expectMember(answer.object(), 'categoryId', number(meant))
    }
  }
}
const refused = (fields: () => Record<string, unknown>): Check =>
  refuses((probe) => probe.post('/pets', petBody(fields())), 400, 'invalid_pet')
const REFUSED = writing('pets.create.refused.code')

const LARGEST = '9223372036854775807'
const SMALLEST = '-9223372036854775808'

const create = [
  row(
    'pets.create.refused.code',
    'The code of a pet that is refused is invalid_pet.',
    operation('createPet', 'responses', '400'),
    answers('POST /pets', 400, 'invalid_pet', { headers: { 'Content-Type': 'application/json' }, body: '{}' }),
    writing('errors.400.code'),
  ),
  row(
    'pets.create.location',
    'A create has no Location, since fetching a pet is deprecated.',
    documented('POST /pets', '`Location`'),
    async (probe) => {
      ;(await addPet(probe)).expectHeader('Location', undefined)
    },
    CREATED,
  ),
  row(
    'pets.create.request-id',
    'A create has X-Request-Id.',
    header('RequestId'),
    async (probe) => {
      ;(await addPet(probe)).expectHeader('X-Request-Id', /./)
    },
    CREATED,
  ),
  row(
    'pets.create.status.default',
    'A pet without a status is available.',
    schema('NewPet', 'status'),
    async (probe) => {
      const answer = await addPet(probe, { status: undefined })
      answer.expectMember(answer.object(), 'status', 'available')
    },
    writing('pets.create.status.omitted'),
  ),
  row(
    'pets.create.status.case',
    'A status in other letters: 400 invalid_pet.',
    schema('NewPet', 'status'),
    refused(() => ({ status: 'Sold' })),
    REFUSED,
  ),
  row(
    'pets.create.status.null',
    'A status of null: 400 invalid_pet.',
    schema('NewPet', 'status'),
    refused(() => ({ status: null })),
    REFUSED,
  ),
  row(
    'pets.create.id.positive',
    'Ids are assigned from 1 upwards.',
    schema('Pet', 'id'),
    async (probe) => {
      const answer = await addPet(probe)
      if (answer.expectInt64(answer.object(), 'id') < 1n)
        throw answer.broken('an id from 1 upwards', textOf(answer.object().get('id')))
    },
    writing('pets.create.id'),
  ),
  row(
    'pets.create.id.rising',
    'A later pet has a higher id.',
    documented('Pets', '`id`'),
    async (probe) => {
      const [first, second] = [await addPet(probe), await addPet(probe)]
      const [one, another] = [first, second].map((answer) => answer.expectInt64(answer.object(), 'id')) as [
        bigint,
        bigint,
      ]
      if (another <= one) throw second.broken(`an id above ${one}`, `id: ${another}`)
    },
    writing('pets.create.id'),
  ),
  row(
    'pets.create.id.ignored',
    'An id in the body is ignored.',
    documented('Pets', 'Fields of a new pet'),
    async (probe) => {
      const id = absentId()
      const answer = await addPet(probe, { id: number(id) })
      if (textOf(answer.object().get('id')) === id) throw answer.broken('an id that the service assigns', `id: ${id}`)
    },
    writing('pets.create.id'),
  ),
  row(
    'pets.create.fields.unknown',
    'Unknown fields are ignored, __proto__ among them.',
    documented('Pets', 'Fields of a new pet'),
    async (probe) => {
      const json = petBody({ status: undefined, colour: 'brown', nested: [{ x: 1 }] }).replace(
        /\}$/,
        ',"__proto__":{"status":"sold"}}',
      )
      const answer = (await probe.post('/pets', json)).expectStatus(201)
      answer.expectMember(answer.object(), 'status', 'available')
      if (answer.object().has('colour')) throw answer.broken('no colour', answer.text)
    },
    writing('pets.create.status.default'),
  ),
  row(
    'pets.create.preconditions',
    'Adding a pet has no preconditions.',
    documented('The store area', '`If-Match`, `If-None-Match`'),
    async (probe) => {
      await addPet(probe, {}, { headers: { 'If-Match': '"x"', 'If-None-Match': '*' } })
    },
    CREATED,
  ),
  row(
    'pets.create.category-id.largest',
    `The categoryId ${LARGEST} is taken.`,
    categorySource,
    reads([LARGEST, LARGEST]),
    CREATED,
  ),
  row(
    'pets.create.category-id.smallest',
    `The categoryId ${SMALLEST} is taken.`,
    categorySource,
    reads([SMALLEST, SMALLEST]),
    CREATED,
  ),
  row(
    'pets.create.category-id.decimal',
    'A number without a fraction is an integer, however it is written: 7.0.',
    documented('Pets', 'int64'),
    reads(['7.0', '7']),
    CREATED,
  ),
  row(
    'pets.create.category-id.exponent',
    'An exponent is read: 1e3 is 1000, 12.5e1 is 125.',
    documented('Pets', 'int64'),
    reads(['1e3', '1000'], ['12.5e1', '125'], ['0e999999999999', '0']),
    CREATED,
  ),
  row('pets.create.category-id.minus-zero', '-0 is 0.', documented('Pets', 'int64'), reads(['-0', '0']), CREATED),
  ...(
    [
      ['too-large', '9223372036854775808', 'A categoryId of 2^63'],
      ['too-small', '-9223372036854775809', 'A categoryId below -2^63'],
      ['huge-exponent', '1e999999999999999999999', 'A categoryId with a huge exponent'],
      ['small-exponent', '1e-999999999', 'A categoryId with a small exponent'],
    ] as const
  ).map(([name, value, words]) =>
    row(
      `pets.create.category-id.${name}`,
      `${words}: 400 invalid_pet.`,
      categorySource,
      refused(() => ({ categoryId: number(value) })),
      REFUSED,
    ),
  ),
  ...textRows(CREATE, schema('NewPet', 'name')),
  ...bodyRows(CREATE),
]

export const petPromises: readonly PromiseRow[] = [...list, ...get, ...conditions, ...create]
