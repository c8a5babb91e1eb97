// Level `pets`: what this project promises about creating pets, beyond the interface document.

import { number } from '../answer.ts'
import { absentId, addPet, newName, petBody } from '../fixtures.ts'
import { LARGE } from '../pet-lists.ts'
import { bodyRows, textRows } from './shared/bodies.ts'
import type { BodyFamily } from './shared/promise.ts'
import { documented, header, ofStore, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('pets')
const IGNORED = ofStore('`If-Match`, `If-None-Match`')
const NEW_PET = documented('Pets', 'Fields of a new pet')

export const CREATE: BodyFamily = {
  id: 'pets.create',
  invalid: 'invalid_pet',
  text: 'name',
  body: async (_, fields = {}) => petBody({ categoryId: LARGE, ...fields }),
  send: (probe, body, options) => probe.post('/pets', body, options),
  others: (body) => [
    // Equal when rounded to 53 bits.
    body.replace(`"categoryId":${LARGE}`, `"categoryId":${LARGE - 1n}`),
    body.replace('"name":"', '"name":"another '),
    body.replace('"available"', '"sold"'),
  ],
}

/** A categoryId as written, and its value. */
const NUMBERS = [
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['7.0', '7'],
  ['1e3', '1000'],
  ['12.5e1', '125'],
  ['0e999999999999', '0'],
  ['-0', '0'],
] as const

export const createPetPromises = [
  row('pets.create.headers', 'The response has X-Request-Id and no Location. Preconditions are ignored.')
    .from([documented('POST /pets', '`Location`'), header('RequestId'), IGNORED], writing('pets.create.success'))
    .check(async (probe) => {
      const answer = await addPet(probe, {}, { headers: { 'If-Match': '"x"', 'If-None-Match': '*' } })
      answer.expectHeader('X-Request-Id', /./).expectHeader('Location', undefined)
    }),
  row('pets.create.status.default', 'A pet without a status is available. Unknown fields, even __proto__, are ignored.')
    .from([schema('NewPet', 'status'), NEW_PET], writing('pets.create.status.omitted'))
    .check(async (probe) => {
      ;(await addPet(probe, { status: undefined })).expectMember('status', 'available')
      const unknown = petBody({ status: undefined, colour: 'brown', nested: [{ x: 1 }] })
      const answer = await probe.post('/pets', unknown.replace(/\}$/, ',"__proto__":{"status":"sold"}}'))
      answer.expectStatus(201).expectMember('status', 'available').expectMember('colour', undefined)
    }),
  row('pets.create.name.stored', 'A name is fetched and listed exactly as sent, with surrounding spaces.')
    .from(documented('Pets', '`name`'), writing('pets.create.name.exact', 'pets.create.readable', 'pets.list.category'))
    .check(async (probe) => {
      const [name, categoryId] = [` ${newName()}  e\u0301 `, BigInt(absentId())]
      const { id } = await addPet(probe, { name, categoryId })
      ;(await probe.read(`/pets/${id}`)).expectMember('name', name)
      const list = await probe.read(`/pets?categoryId=${categoryId}`)
      list.expectMember('name', name, list.objects()[0] ?? new Map())
    }),
  row('pets.create.id.rising', 'Ids start at 1 and increase: a later pet has a higher id.')
    .from([schema('Pet', 'id'), documented('Pets', '`id`')], writing('pets.create.id'))
    .check(async (probe) => {
      let last = 0n
      for (const answer of [await addPet(probe), await addPet(probe)]) {
        const id = answer.expectInt64('id')
        answer.expect(id > last, `an id above ${last}`, `id: ${id}`)
        last = id
      }
    }),
  row('pets.create.id.ignored', 'An id in the body is ignored.')
    .from(NEW_PET, writing('pets.create.id'))
    .check(async (probe) => {
      const id = absentId()
      const answer = await addPet(probe, { id: number(id) })
      answer.expect(answer.id !== id, 'an id assigned by the service', `id: ${id}`)
    }),
  row('pets.create.category-id.numbers', 'A categoryId is any int64 in any notation: 7.0 is 7, 12.5e1 is 125, -0 is 0.')
    .from([schema('NewPet', 'categoryId'), documented('Pets', 'int64')], writing('pets.create.category-id'))
    .check(async (probe) => {
      for (const [written, meant] of NUMBERS)
        (await probe.post('/pets', petBody({ categoryId: number(written) })))
          .expectStatus(201)
          .expectMember('categoryId', number(meant))
    }),
  ...textRows(CREATE, schema('NewPet', 'name'), 'pets.create.name'),
  ...bodyRows(CREATE),
]
