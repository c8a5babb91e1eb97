// Level `pets`: what this project adds to adding pets.

import { number, textOf } from '../answer.ts'
import { expectFields, read } from '../corrections.ts'
import { absentId, addPet, newName, petBody } from '../fixtures.ts'
import { bodyRows } from './shared/bodies.ts'
import type { BodyFamily } from './shared/family.ts'
import type { PromiseRow } from './shared/promise.ts'
import { answers, type Check, documented, header, refuses, response, rowsOf, schema, writing } from './shared/rows.ts'
import { textRows } from './shared/texts.ts'

const row = rowsOf('pets')

const CREATE: BodyFamily = {
  level: 'pets',
  id: 'pets.create',
  operation: 'createPet',
  invalid: 'invalid_pet',
  refused: 'refused.code',
  text: 'name',
  body: async (_, fields = {}) => petBody(fields),
  send: (probe, body, options) => probe.post('/pets', body, options),
  others: (body) => [
    body.replace('"categoryId":7', '"categoryId":8'),
    body.replace('"name":"', '"name":"another '),
    body.replace('"available"', '"sold"'),
  ],
}

const CREATED = writing('pets.create.success')
const EXACT = writing('pets.create.category-id')
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

export const createPetPromises: readonly PromiseRow[] = [
  row('pets.create.refused.code', 'The code of a pet that is refused is invalid_pet.')
    .from(response('createPet', 400), writing('errors.400.code'))
    .check(answers('POST /pets', 400, 'invalid_pet', { headers: { 'Content-Type': 'application/json' }, body: '{}' })),
  row('pets.create.location', 'A create has no Location, since fetching a pet is deprecated.')
    .from(documented('POST /pets', '`Location`'), CREATED)
    .check(async (probe) => (await addPet(probe)).expectHeader('Location', undefined)),
  row('pets.create.etag', 'A create has the tag that GET shows.')
    .from(header('ETag'), writing('pets.create.success', 'pets.get.etag'))
    .check(async (probe) => {
      const answer = await addPet(probe)
      const shown = await read(probe, `/pets/${textOf(answer.object().get('id'))}`)
      answer.expectHeader('ETag', shown.header('ETag'))
    }),
  row('pets.create.request-id', 'A create has X-Request-Id.')
    .from(header('RequestId'), CREATED)
    .check(async (probe) => (await addPet(probe)).expectHeader('X-Request-Id', /./)),
  row('pets.create.status.default', 'A pet without a status is available.')
    .from(schema('NewPet', 'status'), writing('pets.create.status.omitted'))
    .check(async (probe) => {
      const answer = await addPet(probe, { status: undefined })
      answer.expectMember(answer.object(), 'status', 'available')
    }),
  row('pets.create.status.case', 'A status in other letters: 400 invalid_pet.')
    .from(schema('NewPet', 'status'), REFUSED)
    .check(refused(() => ({ status: 'Sold' }))),
  row('pets.create.status.null', 'A status of null: 400 invalid_pet.')
    .from(schema('NewPet', 'status'), REFUSED)
    .check(refused(() => ({ status: null }))),
  row('pets.create.name.stored', 'A name is fetched and listed as it was sent, with the spaces around it.')
    .from(
      documented('Pets', '`name`'),
      writing(
        'pets.create.name.untrimmed',
        'pets.create.name.unnormalised',
        'pets.create.readable',
        'pets.list.category',
      ),
    )
    .check(async (probe) => {
      const [name, categoryId] = [` ${newName()}  e\u0301 `, BigInt(absentId())]
      const id = textOf((await addPet(probe, { name, categoryId })).object().get('id'))
      expectFields(await read(probe, `/pets/${id}`), { name })
      const list = await read(probe, `/pets?categoryId=${categoryId}`)
      list.expectMember(list.objects()[0] ?? new Map(), 'name', name)
    }),
  row('pets.create.id.positive', 'Ids are assigned from 1 upwards.')
    .from(schema('Pet', 'id'), writing('pets.create.id'))
    .check(async (probe) => {
      const answer = await addPet(probe)
      if (answer.expectInt64(answer.object(), 'id') < 1n)
        throw answer.broken('an id from 1 upwards', textOf(answer.object().get('id')))
    }),
  row('pets.create.id.rising', 'A later pet has a higher id.')
    .from(documented('Pets', '`id`'), writing('pets.create.id'))
    .check(async (probe) => {
      const [first, second] = [await addPet(probe), await addPet(probe)]
      const [one, another] = [first, second].map((answer) => answer.expectInt64(answer.object(), 'id')) as [
        bigint,
        bigint,
      ]
      if (another <= one) throw second.broken(`an id above ${one}`, `id: ${another}`)
    }),
  row('pets.create.id.ignored', 'An id in the body is ignored.')
    .from(documented('Pets', 'Fields of a new pet'), writing('pets.create.id'))
    .check(async (probe) => {
      const id = absentId()
      const answer = await addPet(probe, { id: number(id) })
      if (textOf(answer.object().get('id')) === id) throw answer.broken('an id that the service assigns', `id: ${id}`)
    }),
  row('pets.create.fields.unknown', 'Unknown fields are ignored, __proto__ among them.')
    .from(documented('Pets', 'Fields of a new pet'), writing('pets.create.status.default'))
    .check(async (probe) => {
      const json = petBody({ status: undefined, colour: 'brown', nested: [{ x: 1 }] }).replace(
        /\}$/,
        ',"__proto__":{"status":"sold"}}',
      )
      const answer = (await probe.post('/pets', json)).expectStatus(201)
      answer.expectMember(answer.object(), 'status', 'available')
      if (answer.object().has('colour')) throw answer.broken('no colour', answer.text)
    }),
  row('pets.create.preconditions', 'Adding a pet has no preconditions.')
    .from(documented('The store area', '`If-Match`, `If-None-Match`'), CREATED)
    .check(async (probe) => {
      await addPet(probe, {}, { headers: { 'If-Match': '"x"', 'If-None-Match': '*' } })
    }),
  row('pets.create.category-id.largest', `The categoryId ${LARGEST} is taken.`)
    .from(categorySource, EXACT)
    .check(reads([LARGEST, LARGEST])),
  row('pets.create.category-id.smallest', `The categoryId ${SMALLEST} is taken.`)
    .from(categorySource, EXACT)
    .check(reads([SMALLEST, SMALLEST])),
  row('pets.create.category-id.decimal', 'A number without a fraction is an integer, however it is written: 7.0.')
    .from(documented('Pets', 'int64'), EXACT)
    .check(reads(['7.0', '7'])),
  row('pets.create.category-id.exponent', 'An exponent is read: 1e3 is 1000, 12.5e1 is 125.')
    .from(documented('Pets', 'int64'), EXACT)
    .check(reads(['1e3', '1000'], ['12.5e1', '125'], ['0e999999999999', '0'])),
  row('pets.create.category-id.minus-zero', '-0 is 0.')
    .from(documented('Pets', 'int64'), EXACT)
    .check(reads(['-0', '0'])),
  ...(
    [
      ['too-large', '9223372036854775808', 'A categoryId of 2^63'],
      ['too-small', '-9223372036854775809', 'A categoryId below -2^63'],
      ['huge-exponent', '1e999999999999999999999', 'A categoryId with a huge exponent'],
      ['small-exponent', '1e-999999999', 'A categoryId with a small exponent'],
    ] as const
  ).map(([name, value, words]) =>
    row(`pets.create.category-id.${name}`, `${words}: 400 invalid_pet.`)
      .from(categorySource, REFUSED)
      .check(refused(() => ({ categoryId: number(value) }))),
  ),
  ...textRows(CREATE, schema('NewPet', 'name')),
  ...bodyRows(CREATE),
]
