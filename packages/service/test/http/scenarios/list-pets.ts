// That no list is out of date, whatever is kept in memory and whoever overtakes whom.

import { beforeAll, expect, test } from 'bun:test'
import { newPet, petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { describeApi, JSON_TYPE, type OnStore, PET } from './api.ts'

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
  })
}
