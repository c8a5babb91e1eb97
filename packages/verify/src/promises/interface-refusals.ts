// Level `interface`: what the interface document says of creates that are refused.

import type { Answer } from '../answer.ts'
import { eventually, newName, PATIENT_TRIES, petBody, wholeList } from '../fixtures.ts'
import { errorRows, similarCreate } from './interface-keys.ts'
import { WITHOUT_KEY } from './shared/key-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, refuses, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('interface')
const POST = 'POST /pets'

const notAdded: Check = async (probe) => {
  const name = newName('refused')
  ;(await probe.post('/pets', petBody({ name, status: 'gone' }))).expectStatus(400)
  await eventually(async () => {
    const { answer, items } = await wholeList(probe, '/pets?')
    const isListed = items.some((pet) => pet.get('name') === name)
    answer.expect(!isListed, `no pet named ${name}`, 'a list with it')
  }, PATIENT_TRIES)
}

const bodiesWith = (field: string, ...values: unknown[]) => values.map((value) => () => petBody({ [field]: value }))

/** By the end of the id: words, and bodies. */
const REFUSED: Record<string, readonly [string, ...(() => string | undefined)[]]> = {
  'empty-object': ['an empty object', () => '{}'],
  'name-missing': ['a pet without name', () => petBody({ name: undefined })],
  'category-id-missing': ['a pet without categoryId', () => petBody({ categoryId: undefined })],
  'name-number': ['a name that is a number', () => petBody({ name: 7 })],
  'name-null': ['a name that is null', () => petBody({ name: null })],
  'name-type': ['a name that is true, an array or an object', ...bodiesWith('name', true, ['Rex'], { x: 'Rex' })],
  'category-id-text': ['a categoryId that is a string', () => petBody({ categoryId: '7' })],
  'category-id-fraction': ['a categoryId that is a fraction', () => petBody({ categoryId: 1.5 })],
  'category-id-null': ['a categoryId that is null', () => petBody({ categoryId: null })],
  'category-id-type': [
    'a categoryId that is true, an array, an object or an empty text',
    ...bodiesWith('categoryId', true, [7], { id: 7 }, ''),
  ],
  'status-unknown': ['a status that is none of the three', () => petBody({ status: 'gone' })],
  'status-number': ['a status that is a number', () => petBody({ status: 1 })],
  'status-type': ['a status that is false, an array or an empty text', ...bodiesWith('status', false, ['sold'], '')],
  'no-body': ['a request without a body', () => undefined],
  'no-json': ['a body that is not JSON', () => '{"name":"petstore verify",'],
  'no-object': ['a body that is an array', () => '[]'],
  'body-type': [
    'a body that is null, a number or a text',
    ...['null', '7', '"petstore verify"'].map((body) => () => body),
  ],
}

/** Whoever takes one kind of wrong value mostly takes the others. */
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
    row(`pets.create.refused.${name}`, `POST /pets answers 400 to ${what}.`)
      .from(
        documented(POST, '400'),
        name === 'empty-object'
          ? { needs: ['write'] }
          : writing(`pets.create.refused.${AFTER[name] ?? 'empty-object'}`),
      )
      .check(async (probe) => {
        for (const body of bodies) (await probe.post('/pets', body())).expectStatus(400)
      }),
  ),
  row('pets.create.refused.not-added', 'A pet that was refused is not listed.')
    .from(documented(POST, '400'), writing('pets.create.refused.status-unknown', 'pets.create.listed'))
    .check(notAdded),
  ...errorRows(
    400,
    'pets.create.refused.empty-object',
    async (probe): Promise<Answer[]> => [
      await probe.post('/pets', '{}'),
      await probe.post('/pets', petBody({ status: 'gone' })),
    ],
  ),
]

export const interfaceWriteKeys: readonly PromiseRow[] = [
  ...(['missing', 'invalid'] as const).map((which) =>
    row(
      `auth.${which}.create`,
      `${which === 'missing' ? 'Without an' : 'With an invalid'} API key, POST /pets answers 401.`,
    )
      .from(documented('Keys', which === 'missing' ? 'The credential' : '401'), { needs: ['write'] })
      .check(refuses((probe) => probe.post('/pets', petBody(), WITHOUT_KEY[which]), 401)),
  ),
  similarCreate,
]
