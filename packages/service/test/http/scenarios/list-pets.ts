// A list is never stale, although the service caches it.

import { expect, test } from 'bun:test'
import { describeApi, JSON_TYPE, type OnStore, PET } from './api.ts'

export function listPets(on: OnStore): void {
  describeApi('listPets', on, (api) => {
    const idsOf = ({ text }: { text: string }) => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id)
    const listed = async () => idsOf(await api.service.get('/pets?limit=100'))

    test('a changed list is not answered from the cache', async () => {
      // A list is cached from its second request on.
      await listed()
      for (const between of ['/pets/1', '/pets?limit=1', '/pets/none']) {
        const before = await listed()
        const added = await api.service.post(PET, JSON_TYPE)
        await api.service.get(between)
        expect(await listed()).toEqual([...before, ...idsOf(added)])
      }
    })
  })
}
