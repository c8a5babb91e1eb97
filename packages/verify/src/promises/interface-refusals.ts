// Level `interface`: what the interface document says about refused creates.

import type { Answer } from '../answer.ts'
import { categoryOf, LARGE, newName, petBody, REFUSED_PET, retryStale } from '../fixtures.ts'
import { firstList, wholeList } from '../pet-lists.ts'
import { errorRows } from './interface-keys.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('interface')
const POST = 'POST /pets'

const notAdded: Check = async (probe) => {
  const name = newName(REFUSED_PET)
  ;(await probe.post('/pets', petBody({ name, status: 'gone' }))).expectStatus(400)
  await retryStale(async () => {
    const { answer, items } = await wholeList(probe, '/pets?')
    const isListed = items.some((pet) => pet.get('name') === name)
    answer.expect(!isListed, `no pet named ${name}`, 'a list with it')
  })
}

/**
 * Returns bodies with a wrong value. A wrong name is sent with a category that marks it as ours, and with a valid one.
 */
const bodiesWith = (field: string, ...values: unknown[]) =>
  values.flatMap((value) =>
    field === 'name'
      ? [
          () => petBody({ categoryId: LARGE, name: value }),
          (categoryId: bigint) => petBody({ categoryId, name: value }),
        ]
      : [(categoryId: bigint) => petBody({ categoryId, name: newName(REFUSED_PET), [field]: value })],
  )
const NO_JSON = '{"name":"petstore verify",'

/** A description and bodies, by the end of the id. */
const REFUSED: Record<string, readonly [string, ...((categoryId: bigint) => string | undefined)[]]> = {
  'empty-object': ['an empty object', () => '{}'],
  'name-missing': ['a pet without name', ...bodiesWith('name', undefined)],
  'category-id-missing': ['a pet without categoryId', ...bodiesWith('categoryId', undefined)],
  'name-number': ['a name that is a number', ...bodiesWith('name', 7)],
  'name-null': ['a name that is null', ...bodiesWith('name', null)],
  'name-type': ['a name that is true, an array or an object', ...bodiesWith('name', true, ['Rex'], { x: 'Rex' })],
  'category-id-text': ['a categoryId that is a string', ...bodiesWith('categoryId', '7')],
  'category-id-fraction': [
    'a categoryId that is a fraction, or beyond int64',
    ...bodiesWith('categoryId', 1.5, 2n ** 63n, -(2n ** 63n) - 1n),
  ],
  'category-id-null': ['a categoryId that is null', ...bodiesWith('categoryId', null)],
  'category-id-type': [
    'a categoryId that is true, an array, an object or an empty string',
    ...bodiesWith('categoryId', true, [7], { id: 7 }, ''),
  ],
  'status-unknown': ['an unknown status, or one in capitals', ...bodiesWith('status', 'gone', 'SOLD')],
  'status-number': ['a status that is a number', ...bodiesWith('status', 1)],
  'status-type': ['a status that is false, an array or an empty string', ...bodiesWith('status', false, ['sold'], '')],
  'no-body': ['a request without a body', () => undefined],
  'no-json': ['a body that is not JSON', () => NO_JSON],
  'no-object': ['a body that is an array', () => '[]'],
  'body-type': [
    'a body that is null, a number or a string',
    ...['null', '7', '"petstore verify"'].map((body) => () => body),
  ],
}

/** A server that accepts one kind of wrong value usually accepts the others. */
const AFTER: Record<string, string> = {
  'name-null': 'name-number',
  'name-type': 'name-number',
  'category-id-type': 'category-id-text',
  'status-type': 'status-unknown',
  'body-type': 'no-object',
  'category-id-fraction': 'category-id-text',
  'category-id-null': 'category-id-text',
  'status-number': 'status-unknown',
}

export const interfaceRefusals: readonly PromiseRow[] = [
  ...Object.entries(REFUSED).map(([name, [what, ...bodies]]) =>
    row(`pets.create.refused.${name}`, `POST /pets returns 400 for ${what}.`)
      .from(
        documented(POST, '400'),
        name === 'empty-object'
          ? { needs: ['write'] }
          : writing(`pets.create.refused.${AFTER[name] ?? 'empty-object'}`),
      )
      .check(async (probe) => {
        // Read the first list now, because a faulty server would add these pets to it.
        await firstList(probe).catch(() => undefined)
        const categoryId = await categoryOf(probe)
        for (const body of bodies) (await probe.post('/pets', body(categoryId))).expectStatus(400)
      }),
  ),
  row('pets.create.refused.not-added', 'A refused pet is not listed.')
    .from(documented(POST, '400'), writing('pets.create.refused.status-unknown', 'pets.create.listed'))
    .check(notAdded),
  ...errorRows(
    400,
    'pets.create.refused.empty-object',
    async (probe): Promise<Answer[]> => [
      await probe.post('/pets', '{}'),
      await probe.post('/pets', petBody({ name: newName(REFUSED_PET), status: 'gone' })),
      await probe.post('/pets', NO_JSON),
      await probe.post('/pets', undefined),
    ],
  ),
]
