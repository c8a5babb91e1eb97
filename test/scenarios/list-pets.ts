// What listPets shows: the order, the links from page to page, that no answer is out of date, and what it refuses.

import { beforeAll, expect, test } from 'bun:test'
import { newPet, petBody } from '../support/pets.ts'
import type { Answer } from '../support/service.ts'
import { describeApi, JSON_TYPE, type OnStore, PET, type Row } from './api.ts'

export function listPets(on: OnStore): void {
  describeApi('listPets', on, (api) => {
    beforeAll(async () => {
      for (let n = 0; n < 40; n++) await api.service.post(petBody({ status: n % 4 ? 'available' : 'sold' }), JSON_TYPE)
    })

    const ids = ({ text }: Answer): string[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id as string)
    const next = ({ headers }: Answer): string | undefined =>
      /^<\/v1(\/pets\?[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]

    async function follow(path: string): Promise<Answer[]> {
      const pages = [await api.service.get(path)]
      for (let link = next(pages[0] as Answer); link; link = next(pages.at(-1) as Answer)) {
        pages.push(await api.service.get(link))
      }
      return pages
    }

    test('at most twenty, oldest first', async () => {
      const page = await api.service.get('/pets')
      expect(ids(page)).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 1)))
    })

    test('following the links shows every pet exactly once', async () => {
      const everything = (await follow('/pets?limit=100')).flatMap(ids)
      expect(everything.length).toBeGreaterThan(30)
      expect((await follow('/pets?limit=7')).flatMap(ids)).toEqual(everything)
      expect(new Set(everything).size).toBe(everything.length)
    })

    test('the link keeps limit and status', async () => {
      const pages = await follow('/pets?status=available&limit=3')
      expect(pages.length).toBeGreaterThan(3)
      for (const page of pages.slice(0, -1)) {
        expect(ids(page).length).toBe(3)
        expect(next(page)).toMatch(/^\/pets\?limit=3&status=available&cursor=[\w-]{15}$/)
      }
      expect(pages.map(({ text }) => text).join('')).not.toContain('sold')
    })

    test('the next list shows what a create has answered', async () => {
      const last = (await follow('/pets?limit=100')).at(-1) as Answer
      const { text } = await api.service.post(PET, JSON_TYPE)
      expect(ids((await follow('/pets?limit=100')).at(-1) as Answer)).toEqual([...ids(last), ...ids({ ...last, text })])
    })

    test('a changed list is not answered from the cache', async () => {
      for (const between of ['/pets/1', '/pets?limit=1', '/pets/none']) {
        const last = (await follow('/pets?limit=100')).at(-1) as Answer
        const { text } = await api.service.post(PET, JSON_TYPE)
        await api.service.get(between)
        const pages = await follow('/pets?limit=100')
        expect(ids(pages.at(-1) as Answer)).toEqual([...ids(last), ...ids({ ...last, text })])
      }
    })

    test('a list that was read before a create is not the answer to later requests', async () => {
      const { store } = api.service
      let overtaking = true
      const overtaken = await api.start({
        store: {
          ...store,
          async listPets(filter) {
            const page = await store.listPets(filter)
            if (overtaking) await store.createPet(newPet({ status: 'pending' }), 1n)
            return page
          },
        },
      })
      const count = async () => ids(await overtaken.get('/pets?status=pending&limit=100')).length
      const before = await count()
      overtaking = false
      expect(await count()).toBe(before + 1)
    })

    api.rows([
      { description: 'limit 1', ask: 'GET /pets?limit=1', status: 200 },
      { description: 'limit 100', ask: 'GET /pets?limit=100', status: 200 },
      { description: 'every status', ask: 'GET /pets?status=pending', status: 200 },
      { description: 'an unknown parameter is ignored', ask: 'GET /pets?page=2&Limit=0', status: 200 },
      { description: 'a percent-encoded limit', ask: 'GET /pets?limit=%31%30', status: 200 },
      { description: 'a body is ignored', ask: 'GET /pets?', status: 200 },
    ])
    const bad = (query: string, ...message: string[]): Row => ({
      description: query,
      ask: `GET /pets?${query}`,
      status: 400,
      code: 'invalid_parameter',
      message,
    })
    api.rows([
      ...['0', '101', '1000000000000', '99999999999999999999'].map((limit) =>
        bad(`limit=${limit}`, 'limit must be an integer from 1 to 100'),
      ),
      ...['', '-1', '+5', '05', '5.0', '1e1', '0x10', 'ten', '5%20', '%EF%BC%95'].map((limit) =>
        bad(`limit=${limit}`, 'limit must be'),
      ),
      bad('limit=5&limit=5', 'limit must be given once.'),
      bad('status=', 'status must be one of available, pending, sold.'),
      bad('status=Sold', 'status must be'),
      bad('status=sold&status=sold', 'status must be given once.'),
      bad('limit=0&status=gone', 'limit must be', 'status must be'),
      ...['', 'x', 'AAAAAAAAAAEl7_9', 'AAAAAAAAAAEl7_8=', 'AAAAAAAAAAEl7_8A', '%00', '1', 'AAAAAAAAABTWRkY'].map(
        (cursor) => bad(`cursor=${cursor}`, "cursor must be copied unchanged from the previous page's Link header."),
      ),
    ])
  })
}
