// Pages after the end of a list. The promises test other cursors.

import { expect, test } from 'bun:test'
import { cursorAfter } from '../../../../../test/support/cursors.ts'
import { petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import type { Store } from '../../../src/domain/store.ts'
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
      let count = 3
      const countPets: Store['countPets'] = async (_, most) => Math.min(count, most)
      const { get, post } = await api.start({ store: { ...api.service.store, countPets } })
      for (let n = 0; n < 2; n++) await post(petBody({ categoryId: 8n }))
      const total = async (query = '', headers = {}) => {
        const answer = await get(`/pets?categoryId=8&limit=1${query}`, headers)
        const [, next] = /cursor=(\S+)>; rel="next"/.exec(answer.headers.get('Link') ?? '') ?? []
        return { total: answer.headers.get('X-Total-Count'), tag: answer.headers.get('ETag'), next }
      }
      const none = await total()
      expect(none.total).toBeNull()
      const headers = { 'If-None-Match': none.tag as string }
      for (const [number, shown] of [
        [3, '3'],
        [10_000, '10000'],
        [10_001, '10000+'],
      ] as const) {
        count = number
        expect(await total(`&count=true&x=${number}`, headers)).toMatchObject({ total: shown, tag: none.tag })
        expect((await total(`&count=true&x=${number}&cursor=${none.next}`)).total).toBe(shown)
      }
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
