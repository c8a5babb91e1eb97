// Categories with names: how they are typed, shown and sent.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Names } from '../../../service/src/domain/names.ts'
import { toNewPet } from '../../src/animal/draft.ts'
import { petIn } from '../../src/files/rows.ts'
import { edited } from '../../src/list/categories-dialog.tsx'
import { categoriesFor } from '../../src/list/category.tsx'
import { changeNames, loadNames, names, setNames } from '../../src/names.ts'
import { differing, fieldsOf } from '../../src/record/edits.ts'
import { pet } from './fake-client.ts'

const DOGS = 2n ** 63n - 1n
const { fetch } = globalThis

beforeAll(() => {
  const categories = { [String(DOGS)]: 'Dogs', 8: 'Small animals', 9: 'Small birds' }
  setNames(
    new Names(
      'Rex & Co',
      Object.entries(categories).map(([id, name]) => ({ id: BigInt(id), name })),
    ),
  )
})
afterAll(() => {
  setNames(undefined)
  globalThis.fetch = fetch
})

test.each<[string, bigint[]]>([
  ['DOGS', [DOGS]],
  ['small', [8n, 9n]],
  ['small a', [8n]],
  ['10', [10n]],
  ['cats', []],
  ['', []],
])('the filter %p means the categories %p', (text, ids) => expect(categoriesFor(text)).toEqual(ids))

test('a new animal is sent with the id of the category; an unknown name is a problem', () => {
  const draft = { name: 'Mia', status: 'available' } as const
  expect(toNewPet({ ...draft, categoryId: 'dogs' })).toMatchObject({ categoryId: DOGS })
  expect(toNewPet({ ...draft, categoryId: 'Dgos' })).toEqual({
    problem: 'categoryId must be the name of a category, or a whole number.',
  })
})

test('a name and its id are the same category, in an edit and in a file', () => {
  const read = {
    animal: { pet: pet(1, { categoryId: DOGS }), deleted: false, events: [] },
    orders: [],
    order: undefined,
  }
  const fields = fieldsOf(read)
  expect(fields.categoryId).toBe('Dogs')
  expect(differing(read, fields, { ...fields, categoryId: String(DOGS) })).toEqual([])
  const cells = { name: 'Mia', status: '' }
  expect(petIn({ ...cells, categoryId: 'dogs' })).toEqual(petIn({ ...cells, categoryId: String(DOGS) }))
})

test('a service of 1.0.0 has no names, so categories are numbers', async () => {
  globalThis.fetch = (async () => Response.json({ code: 'not_found' }, { status: 404 })) as unknown as typeof fetch
  const { signal } = new AbortController()
  await loadNames('key', signal)
  expect([names().store, categoriesFor('Dogs')]).toEqual(['Petstore', []])
  expect(toNewPet({ name: 'Mia', status: 'available', categoryId: 'Dogs' })).toEqual({
    problem: 'categoryId must be a whole number.',
  })
})

test('categories are changed as they are now: other tills keep their changes, and new names get free ids', async () => {
  const store = { categories: [{ id: 1n, name: 'Dogs' }], tag: 1 }
  const sent: unknown[] = []
  globalThis.fetch = (async (_url: string, { method, body, headers }: RequestInit) => {
    const isRefused = method === 'PUT' && new Headers(headers).get('If-Match') !== `"${store.tag}"`
    if (isRefused) return Response.json({ code: 'precondition_failed', message: 'Changed.' }, { status: 412 })
    if (method === 'PUT') sent.push(JSON.parse(String(body)))
    const { categories, tag } = store
    const json = `{"store":"Shop","categories":${JSON.stringify(categories.map(({ id, name }) => ({ id: Number(id), name })))},"nextId":9}`
    // Another till adds one after the first read.
    if (tag === 1) Object.assign(store, { categories: [...categories, { id: 2n, name: 'Cats' }], tag: 2 })
    return new Response(json, { headers: { 'Content-Type': 'application/json', ETag: `"${tag}"` } })
  }) as unknown as typeof fetch
  await loadNames('key', new AbortController().signal)
  const edits = { names: new Map([[1n, 'Hunde ']]), added: ['Fish', ' '] }
  expect(await changeNames(({ categories, nextId }) => edited(categories, nextId, edits))).toBe(true)
  expect(sent).toEqual([
    {
      categories: [
        { id: 1, name: 'Hunde' },
        { id: 2, name: 'Cats' },
        { id: 9, name: 'Fish' },
      ],
    },
  ])
  expect(edited(store.categories, 9n, { names: new Map([[2n, undefined]]), added: [] })).toEqual([
    { id: 1n, name: 'Dogs' },
  ])
})
