// Cursors and links: to which list, filters and order a cursor belongs, and what the links around a page say.

import { beforeAll, expect, test } from 'bun:test'
import { encodeCursor } from '../../src/http/request/cursor.ts'
import { petBody } from '../support/pets.ts'
import type { Answer } from '../support/service.ts'
import { describeApi, expectError, JSON_TYPE, type OnStore } from './api.ts'

const ids = ({ text }: Answer): number[] => JSON.parse(text).map(({ id }: { id: number }) => id)

/** The targets of the links, by their relation. */
function linksOf({ headers }: Answer): Record<string, string> {
  const links = [...(headers.get('Link') ?? '').matchAll(/<\/v1([^>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(links.map(([, target, relation]) => [relation, target]))
}

export function cursors(on: OnStore): void {
  describeApi('cursors', on, (api) => {
    const get = (target: string) => api.service.get(target)
    const cursorOf = async (target: string, relation = 'next') =>
      /cursor=([\w-]{15})$/.exec(linksOf(await get(target))[relation] ?? '')?.[1] as string
    const expectRefused = async (target: string) =>
      expectError(await get(target), 400, 'invalid_parameter', ['cursor must be copied unchanged'])

    beforeAll(async () => {
      for (let n = 0; n < 12; n++)
        await api.service.post(petBody({ categoryId: BigInt(n % 2), status: n % 3 ? 'available' : 'sold' }), JSON_TYPE)
    })

    test('next stands before prev, and both repeat the query', async () => {
      const query = 'limit=2&status=available&categoryId=1&sort=newest'
      const first = await get(`/pets?${query}`)
      expect([ids(first), Object.keys(linksOf(first))]).toEqual([[12, 8], ['next']])
      const second = await get(`${linksOf(first).next}`.replace('limit=2', 'limit=1'))
      expect([ids(second), Object.keys(linksOf(second))]).toEqual([[6], ['next', 'prev']])
      for (const target of Object.values(linksOf(second))) expect(target).toContain(query.slice('limit=2'.length))
    })

    test('a cursor of one filter, order or direction is refused with any other', async () => {
      const queries = ['', 'status=available', 'status=sold', 'categoryId=1', 'sort=newest', 'search=rex', 'search=re']
      for (const query of queries) {
        const cursor = await cursorOf(`/pets?limit=1&${query}`)
        for (const other of queries.filter((one) => one !== query))
          await expectRefused(`/pets?${other}&cursor=${cursor}`)
        expect((await get(`/pets?limit=7&${query}&cursor=${cursor}`)).status).toBe(200)
      }
    })

    test('oldest is what a list is without sort, and its links do not say it', async () => {
      const [plain, named] = [await get('/pets?limit=3'), await get('/pets?limit=3&sort=oldest')]
      expect([named.text, named.headers.get('Link')]).toEqual([plain.text, plain.headers.get('Link')])
      expect(named.headers.get('Link')).not.toContain('sort')
      expect((await get(`/pets?limit=3&sort=oldest&cursor=${await cursorOf('/pets?limit=3')}`)).status).toBe(200)
    })

    test('a cursor of the version before goes on with the filters that it had', async () => {
      const older = encodeCursor(5n)
      expect(ids(await get(`/pets?limit=2&cursor=${older}`))).toEqual([6, 7])
      expect(ids(await get(`/pets?limit=2&status=sold&sort=oldest&cursor=${older}`))).toEqual([7, 10])
      for (const query of ['sort=newest', 'categoryId=1', 'search=rex'])
        await expectRefused(`/pets?${query}&cursor=${older}`)
      await expectRefused(`/store/orders?cursor=${older}`)
    })

    test('a page that somebody else linked to has the pages before it, too', async () => {
      const linked = await get(`/pets?limit=5&cursor=${encodeCursor(3n)}`)
      const before = await get(linksOf(linked).prev as string)
      expect([ids(linked), ids(before)]).toEqual([
        [4, 5, 6, 7, 8],
        [1, 2, 3],
      ])
      expect(Object.keys(linksOf(before))).toEqual(['next'])
      expect((await get(linksOf(before).next as string)).text).toBe(linked.text)
    })

    test('an empty page leads back, and its tag is another one when it does not', async () => {
      const behind = await get(`/pets?cursor=${encodeCursor(12n)}`)
      expect([behind.text, Object.keys(linksOf(behind))]).toEqual(['[]', ['prev']])
      const none = await get('/pets?categoryId=77')
      expect([none.text, none.headers.get('Link')]).toEqual(['[]', null])
      expect(none.headers.get('ETag')).not.toBe(behind.headers.get('ETag'))
    })

    test('the tag of a page covers its links', async () => {
      const tags = new Set<string | null>()
      for (const target of ['/pets?limit=1&status=sold', '/pets?limit=1', '/pets?limit=1&sort=newest&status=sold'])
        tags.add((await get(target)).headers.get('ETag'))
      expect(tags.size).toBe(3)
    })

    const bad = (query: string, message: string) => ({
      description: query,
      ask: `GET /pets?${query}`,
      status: 400,
      code: 'invalid_parameter',
      message: [message],
    })
    api.rows([
      bad('sort=', 'sort must be one of oldest, newest.'),
      bad('sort=Newest', 'sort must be one of oldest, newest.'),
      bad('sort=newest&sort=newest', 'sort must be given once.'),
      bad('categoryId=', 'categoryId must be an integer'),
      bad('categoryId=9223372036854775808', 'categoryId must be an integer'),
      bad('categoryId=1&categoryId=1', 'categoryId must be given once.'),
      { description: 'the greatest category', ask: 'GET /pets?categoryId=9223372036854775807', status: 200 },
      { description: 'orders have no category', ask: 'GET /store/orders?categoryId=x&sort=newest', status: 200 },
    ])
  })
}
