// Reading lists in few requests: pages, and animals by id.

import { expect, test } from 'bun:test'
import type { EventFilter, Inventory } from '../../../client/src/petstore.ts'
import { readPets } from '../../src/animal/by-id.ts'
import { fetchPage, wholeList } from '../../src/list/list.ts'
import { firstPage, firstPageOf, shortened } from '../../src/list/list-position.ts'
import { sumOf } from '../../src/list/list-words.ts'
import { find } from '../../src/list/search.tsx'
import { readPet } from '../../src/record/history.ts'
import { event, fakeClient, order, pet } from './fake-client.ts'

const FIRST = { ...firstPageOf('animals'), limit: 20 }

test('reads a page with its filters; a long search is shortened', async () => {
  const { calls, client } = fakeClient({ listPage: () => ({ pets: [pet(3)], next: 'N', prev: 'P' }) })
  const search = '犬'.repeat(200)
  const sold = { ...FIRST, status: 'sold', sort: 'newest', search, categoryId: 7n } as const
  expect(await fetchPage(client, sold, {})).toMatchObject({ items: [{ id: 3n }], next: 'N', prev: 'P' })
  const asked = { status: 'sold', categoryId: 7n, sort: 'newest', limit: 20, cursor: undefined }
  expect(calls[0]?.[1]).toEqual({ ...asked, search: shortened(search) })
})

test('looks up animals by id in one page or one by one, without deleted ones', async () => {
  const pets = Array.from({ length: 30 }, (_, n) => pet(n + 1, { status: n % 2 ? 'sold' : 'available' }))
  const { client, names } = fakeClient({
    listPage: () => ({ pets: pets.slice(5) }),
    listEvents: ({ petId }: EventFilter) => ({
      events: petId === 4n ? [] : [event(1, 'pet.added', { pet: pet(Number(petId)) })],
    }),
  })
  const ids = { ...FIRST, ids: '3-26' }
  const page = await fetchPage(client, ids, {})
  expect([page.items.length, page.items[0]?.id, page.next, names()]).toEqual([20, 26n, '2', ['listPage']])
  const second = await fetchPage(client, { ...ids, page: 2, cursor: '2' }, {})
  expect([second.items.map(({ id }) => id), second.next, second.prev]).toEqual([[6n, 5n, 3n], undefined, '1'])
  const sold = await fetchPage(client, { ...ids, status: 'sold' }, {})
  expect(sold.items).toHaveLength(10)
})

test.each([
  ['12', 'animal', 12],
  ['order 12', 'order', 12],
  ['http://127.0.0.1:8080/till/?animal=12', 'animal', 12],
  ['//shop.example/?order=12', 'order', 12],
  ['https://shop.example/?animal=12&order=5', 'order', 7],
  ['rex', 'order', 7],
] as const)('on Orders, Enter after %p opens the %s %d', async (words, kind, id) => {
  const { client } = fakeClient({
    listEvents: () => ({ events: [event(1, 'pet.added', { pet: pet(12) })] }),
    getOrder: (id: bigint) => order(Number(id)),
    listOrderPage: ({ status }: { status?: string }) => ({ orders: status ? [] : [order(7, { status: 'completed' })] }),
  })
  const found = await find(client, firstPageOf('orders'), words)
  expect(found?.record).toEqual({ kind, id: BigInt(id) })
})

test('reads all pages in order', async () => {
  const answers = [{ pets: [pet(1)], next: 'A' }, { pets: [pet(2)] }]
  const { calls, client } = fakeClient({ listPage: () => answers.shift() })
  const items = await Array.fromAsync(wholeList(client, firstPage(FIRST), {}))
  expect(items.map(({ id }) => id)).toEqual([1n, 2n])
  expect(calls.map(([, filter]) => (filter as { cursor?: string }).cursor)).toEqual([undefined, 'A'])
})

test.each([
  [40, [100, 100], 0],
  [4, [], 4],
  [120, [100, 100], 0],
  [100, [60, 0], 40],
])('reads %d animals from pages that have %p of them, and %d one by one', async (count, found, alone) => {
  const ids = Array.from({ length: count }, (_, n) => BigInt(n))
  let pages = 0
  const { client, names } = fakeClient({
    listPage: () => {
      const pets = ids.slice(pages * 100, pages * 100 + (found[pages] ?? 0)).map((id) => pet(Number(id)))
      return { pets, next: ++pages === 2 && count !== 100 ? undefined : `${pages}` }
    },
    listEvents: ({ petId }: EventFilter) => ({ events: [event(1, 'pet.added', { pet: pet(Number(petId)) })] }),
  })
  expect(await readPets(client, ids, {})).toHaveLength(count)
  expect(names().filter((name) => name === 'listEvents')).toHaveLength(alone)
})

test('reads an animal from its last events; a deleted one is undefined', async () => {
  const read = (...events: ReturnType<typeof event>[]) => {
    const { client } = fakeClient({
      listEvents: ({ cursor }: { cursor?: string }) => ({
        events: cursor ? events.slice(1) : events.slice(0, 1),
        next: 'A',
      }),
    })
    return readPet(client, 1n)
  }
  const added = event(1, 'pet.added', { pet: pet(1) })
  expect(await read(event(2, 'order.placed', { petStatus: 'pending' }), added)).toEqual(pet(1, { status: 'pending' }))
  expect(await read(event(2, 'pet.deleted'), added)).toBeUndefined()
  expect(await read()).toBeUndefined()
})

test('the counts of all statuses add up, including statuses of a newer service', () => {
  expect(sumOf({ available: 1n, pending: 2n, sold: 4n, asleep: 8n } as Inventory)).toBe(15n)
})
