// Pages behind the end of a list. The promises test other cursors.

import { expect, test } from 'bun:test'
import { cursorAfter } from '../../../../../test/support/cursors.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { hashKey } from '../../../src/domain/keys.ts'
import { addPet, describeApi, JSON_TYPE, type OnStore } from './api.ts'

const MAX = 2n ** 63n - 1n

/** The target of a `Link` that only leads to the previous page. */
const prevOf = ({ headers }: Answer) => /^<\/v1([^>]*)>; rel="prev"$/.exec(headers.get('Link') ?? '')?.[1] ?? 'no link'

export function cursors(on: OnStore): void {
  describeApi('cursors', on, (api) => {
    test('an empty page links back, and has a different tag without that link', async () => {
      const get = (target: string) => api.service.get(target)
      for (let n = 0; n < 3; n++) await addPet(api)
      const pages = [await get(`/pets?cursor=${cursorAfter(3n)}`), await get(`/pets?cursor=${cursorAfter(MAX)}`)]
      for (const page of pages) {
        expect(page.text).toBe('[]')
        expect(JSON.parse((await get(prevOf(page))).text)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }])
      }
      const none = await get('/pets?categoryId=77')
      expect([none.text, none.headers.get('Link')]).toEqual(['[]', null])
      expect(none.headers.get('ETag')).not.toBe(pages[0]?.headers.get('ETag') as string)
    })

    test('counts the pets of a category, up to 10,000, in a header that is not part of the tag', async () => {
      const { store, get, key } = api.service
      const by = (await store.findKey(hashKey(key)))?.id as bigint
      const add = (count: number) =>
        Array.from({ length: count }, () => store.createPet(newPet({ categoryId: 8n }), by))
      await Promise.all(add(3))
      const total = async (query: string, headers = {}) => {
        const answer = await get(`/pets?${query}`, headers)
        return [answer.headers.get('X-Total-Count'), answer.status, answer.headers.get('ETag')]
      }
      const list = 'categoryId=8&limit=2'
      const [, , tag] = await total(list)
      expect(await total(list)).toEqual([null, 200, tag as string])
      expect(await total(`${list}&count=true`)).toEqual(['3', 200, tag as string])
      const [, next = ''] =
        /cursor=(\S+)>; rel="next"/.exec((await get(`/pets?${list}`)).headers.get('Link') ?? '') ?? []
      expect((await total(`${list}&count=true&cursor=${next}`))[0]).toBe('3')
      expect((await total('categoryId=8&status=sold&count=true'))[0]).toBe('0')
      for (let n = 0; n < 9_997; n += 769) await Promise.all(add(769))
      expect(await total(`${list}&count=true`, { 'If-None-Match': tag as string })).toEqual([
        '10000',
        304,
        tag as string,
      ])
      await Promise.all(add(1))
      expect((await total(`${list}&count=true`))[0]).toBe('10000+')
      expect((await total(`categoryId=8&status=available&count=true`))[0]).toBe('10000+')
    })

    test('the pages of the orders of several pets link to each other', async () => {
      const place = async () => {
        const body = `{"petId":${await addPet(api)}}`
        return JSON.parse((await api.service.request('POST', '/store/orders', { headers: JSON_TYPE, body })).text)
      }
      const [first, other, third] = [await place(), await place(), await place()]
      const pets = `petIds=${third.petId}&petIds=${first.petId}`
      const page = await api.service.get(`/store/orders?limit=1&${pets}`)
      expect(JSON.parse(page.text)).toMatchObject([{ id: first.id }])
      const [next] = /\/store[^>]*/.exec(page.headers.get('Link') ?? '') ?? []
      const last = await api.service.get(String(next))
      expect(JSON.parse(last.text)).toMatchObject([{ id: third.id }])
      expect(JSON.parse((await api.service.get(prevOf(last))).text)).toMatchObject([{ id: first.id }])
      const cursor = new URLSearchParams(next).get('cursor')
      const refused = await api.service.get(
        `/store/orders?petIds=${third.petId}&petIds=${other.petId}&cursor=${cursor}`,
      )
      expect(refused.status).toBe(400)
    })
  })
}
