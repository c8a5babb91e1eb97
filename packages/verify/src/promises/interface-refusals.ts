// Level `interface`: what the interface document says about refused creates.

import type { Answer } from '../answer.ts'
import { categoryOf, LARGE, newName, petBody, REFUSED_PET, retryStale } from '../fixtures.ts'
import { firstList, wholeList } from '../pet-lists.ts'
import { FIELD_PROMISES, type FieldPromise, wrongValues } from '../wrong-values.ts'
import { errorRows } from './interface-keys.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, rowsOf, writing } from './shared/rows.ts'
import { described } from './shared/wrong-rows.ts'

const row = rowsOf('interface')
const POST = 'POST /pets'
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
/** The end of the id, a description, the premise, and the bodies. */
const BODIES: readonly (readonly [string, string, string | undefined, ...(string | undefined)[]])[] = [
  ['empty-object', 'an empty object', undefined, '{}'],
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

const refuses = (
  id: string,
  what: string,
  premise: string | undefined,
  bodies: (categoryId: bigint) => readonly (string | undefined)[],
) =>
  row(id, `POST /pets returns 400 for ${what}.`)
    .from(documented(POST, '400'), writing(...(premise === undefined ? [] : [premise])))
    .check(async (probe) => {
      // Read the first list now, because a faulty server would add these pets to it.
      await firstList(probe).catch(() => undefined)
      for (const body of bodies(await categoryOf(probe))) (await probe.post('/pets', body)).expectStatus(400)
    })

export const interfaceRefusals: readonly PromiseRow[] = [
  ...BODIES.map(([name, what, premise, ...bodies]) => refuses(ID + name, what, premise, () => bodies)),
  ...FIELDS.map((promise) =>
    refuses(promise.id, described([promise]), premiseOf(promise), (categoryId) => bodiesOf(promise, categoryId)),
  ),
  row('pets.create.refused.not-added', 'A refused pet is not listed.')
    .from(documented(POST, '400'), writing('pets.create.refused.status-unknown', 'pets.create.listed'))
    .check(notAdded),
  ...errorRows(
    400,
    FIRST,
    async (probe): Promise<Answer[]> => [
      await probe.post('/pets', '{}'),
      await probe.post('/pets', petBody({ name: newName(REFUSED_PET), status: 'gone' })),
      await probe.post('/pets', NO_JSON),
      await probe.post('/pets', undefined),
    ],
  ),
]
