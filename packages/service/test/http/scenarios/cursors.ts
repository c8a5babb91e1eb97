// Cursors that the service did not link to. The promises test other cursors.

import { beforeAll, expect, test } from 'bun:test'
import { cursorAfter } from '../../../../../test/support/cursors.ts'
import { petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { describeApi, JSON_TYPE, type OnStore } from './api.ts'

const ids = ({ text }: Answer): number[] => JSON.parse(text).map(({ id }: { id: number }) => id)

/** The link targets by relation. */
function linksOf({ headers }: Pick<Answer, 'headers'>): Record<string, string> {
  const links = [...(headers.get('Link') ?? '').matchAll(/<\/v1([^>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(links.map(([, target, relation]) => [relation, target]))
}

const MAX = 2n ** 63n - 1n

export function cursors(on: OnStore): void {
  describeApi('cursors', on, (api) => {
    const get = (target: string) => api.service.get(target)

    beforeAll(async () => {
      for (let n = 0; n < 12; n++)
        await api.service.post(petBody({ categoryId: BigInt(n % 2), status: n % 3 ? 'available' : 'sold' }), JSON_TYPE)
    })

    test('a page in the middle of a list links to earlier pages', async () => {
      const linked = await get(`/pets?limit=5&cursor=${cursorAfter(3n)}`)
      const before = await get(linksOf(linked).prev as string)
      expect([ids(linked), ids(before)]).toEqual([
        [4, 5, 6, 7, 8],
        [1, 2, 3],
      ])
      expect(Object.keys(linksOf(before))).toEqual(['next'])
      expect((await get(linksOf(before).next as string)).text).toBe(linked.text)
    })

    test('an empty page links back, and has a different tag without that link', async () => {
      const at = (id: bigint) => get(`/pets?cursor=${cursorAfter(id)}`)
      const [behind, far] = [await at(12n), await at(MAX)]
      for (const { text, ...page } of [behind, far])
        expect([text, Object.keys(linksOf(page))]).toEqual(['[]', ['prev']])
      expect(ids(await get(linksOf(far).prev as string)).at(-1)).toBe(12)
      const none = await get('/pets?categoryId=77')
      expect([none.text, none.headers.get('Link')]).toEqual(['[]', null])
      expect(none.headers.get('ETag')).not.toBe(behind.headers.get('ETag'))
    })
  })
}
