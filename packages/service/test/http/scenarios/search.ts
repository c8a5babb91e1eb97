// Searches in links. The promises test the rest of searching.

import { beforeAll, expect, test } from 'bun:test'
import { petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { describeApi, JSON_TYPE, type OnStore } from './api.ts'

const names = ({ text }: Answer): string[] => JSON.parse(text).map(({ name }: { name: string }) => name)
const target = ({ headers }: Answer, relation: string) =>
  new RegExp(`<\\/v1([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1] ?? ''

export function search(on: OnStore): void {
  describeApi('search', on, (api) => {
    const get = (path: string) => api.service.get(path)

    beforeAll(async () => {
      for (const name of ['Old Biscuit', 'Biscuit', 'biscotti']) await api.service.post(petBody({ name }), JSON_TYPE)
    })

    test('links keep special characters of the search', async () => {
      const page = await get('/pets?limit=1&search=%22bis%3E%3B%20b%3C%26%22')
      expect(names(await get(target(page, 'next')))).toEqual(['Biscuit'])
    })
  })
}
