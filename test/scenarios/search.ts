// Search beside what its promises say: links with hostile words, answers that were kept before, and what refusals say.

import { beforeAll, expect, test } from 'bun:test'
import { petBody } from '../support/pets.ts'
import type { Answer } from '../support/service.ts'
import { describeApi, JSON_TYPE, type OnStore } from './api.ts'
import { turnToNow } from './orders.ts'

const names = ({ text }: Answer): string[] => JSON.parse(text).map(({ name }: { name: string }) => name)
const target = ({ headers }: Answer, relation: string) =>
  new RegExp(`<\\/v1([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1] ?? ''

export function search(on: OnStore): void {
  describeApi('search', on, (api) => {
    const get = (path: string) => api.service.get(path)

    beforeAll(async () => {
      turnToNow(api)
      for (const name of ['Old Biscuit', 'Biscuit', 'biscotti']) await api.service.post(petBody({ name }), JSON_TYPE)
    })

    test('links carry the search, forth and back, whatever is in it', async () => {
      const first = await get('/pets?limit=2&search=BIS&sort=newest')
      expect(names(first)).toEqual(['biscotti', 'Biscuit'])
      const second = await get(target(first, 'next'))
      expect(names(second)).toEqual(['Old Biscuit'])
      expect((await get(target(second, 'prev'))).text).toBe(first.text)
      const hostile = await get('/pets?limit=1&search=%22bis%3E%3B%20b%3C%26%22')
      expect(names(await get(target(hostile, 'next')))).toEqual(['Biscuit'])
    })

    test('the next search shows what has been added, also when it was kept before', async () => {
      for (let n = 0; n < 3; n++) expect(names(await get('/pets?search=newcomer'))).toEqual([])
      await api.service.post(petBody({ name: 'Newcomer' }), JSON_TYPE)
      for (let n = 0; n < 3; n++) expect(names(await get('/pets?search=newcomer'))).toEqual(['Newcomer'])
    })

    const bad = (query: string, message: string) => ({
      description: query,
      ask: `GET /pets?${query}`,
      status: 400,
      code: 'invalid_parameter',
      message: [message],
    })
    api.rows([
      bad('search=', 'search must be 1 to 255 characters long.'),
      bad('search=-', 'search must have a letter or a digit in it.'),
      bad('search=a+b+c+d+e+f+g+h+i', 'search must have at most 8 words.'),
    ])
  })
}
