// Search as a client sees it: what is found in pets and in orders, in links that carry the search, and what is refused.

import { beforeAll, expect, test } from 'bun:test'
import { petBody } from '../support/pets.ts'
import type { Answer } from '../support/service.ts'
import { describeApi, JSON_TYPE, type OnStore } from './api.ts'
import { turnToNow } from './orders.ts'

const names = ({ text }: Answer): string[] => JSON.parse(text).map(({ name }: { name: string }) => name)
const orders = ({ text }: Answer): number[] => JSON.parse(text).map(({ id }: { id: number }) => id)
const target = ({ headers }: Answer, relation: string) =>
  new RegExp(`<\\/v1([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1] ?? ''

const NAMES = ['Old Biscuit', 'Biscuit', 'Émile', "O'Neill", '王小明', 'biscotti', 'Straße 7', '\u{1f436}']

export function search(on: OnStore): void {
  describeApi('search', on, (api) => {
    const get = (path: string) => api.service.get(path)
    const find = async (words: string, more = '') =>
      names(await get(`/pets?search=${encodeURIComponent(words)}${more}`))

    beforeAll(async () => {
      turnToNow(api)
      for (const name of NAMES) await api.service.post(petBody({ name }), JSON_TYPE)
      for (const [petId, reference] of [
        [1, 'Anna 7'],
        [2, 'till 3'],
        [3, undefined],
      ])
        await api.service.request('POST', '/store/orders', {
          headers: JSON_TYPE,
          body: JSON.stringify({ petId, reference }),
        })
    })

    test('finds the beginnings of words, whatever their case, accents and width', async () => {
      expect(await find('bis')).toEqual(['Old Biscuit', 'Biscuit', 'biscotti'])
      expect(await find('BIS old')).toEqual(['Old Biscuit'])
      expect(await find('emile')).toEqual(['Émile'])
      expect(await find('STRASSE ７')).toEqual(['Straße 7'])
      expect(await find('小')).toEqual(['王小明'])
      for (const words of ['iscuit', 'bisx', 'old emile']) expect(await find(words)).toEqual([])
      expect(names(await get('/pets?search=old+bis'))).toEqual(['Old Biscuit'])
    })

    test('goes with every other parameter', async () => {
      expect(await find('bis', '&status=available')).toEqual(['biscotti'])
      expect(await find('bis', '&status=pending&sort=newest&categoryId=7')).toEqual(['Biscuit', 'Old Biscuit'])
      expect(await find('bis', '&categoryId=8')).toEqual([])
    })

    test('links carry the search, forth and back', async () => {
      const first = await get('/pets?limit=2&search=BIS&sort=newest')
      expect(names(first)).toEqual(['biscotti', 'Biscuit'])
      const second = await get(target(first, 'next'))
      expect(names(second)).toEqual(['Old Biscuit'])
      expect((await get(target(second, 'prev'))).text).toBe(first.text)
      const hostile = await get('/pets?limit=1&search=%22bis%3E%3B%20b%3C%26%22')
      expect(names(await get(target(hostile, 'next')))).toEqual(['Biscuit'])
    })

    test('orders are found by their reference and by the name of their pet, together', async () => {
      const find = async (words: string) => orders(await get(`/store/orders?search=${encodeURIComponent(words)}`))
      expect(await find('bis')).toEqual([1, 2])
      expect(await find('anna bis')).toEqual([1])
      expect(await find('3 till bisc')).toEqual([2])
      expect(await find('emi')).toEqual([3])
      expect(orders(await get('/store/orders?search=bis&sort=newest&status=pending&limit=1'))).toEqual([2])
      expect(orders(await get('/store/orders?search=bis&petId=1'))).toEqual([1])
    })

    test('the next search shows what has been added, also when it was kept before', async () => {
      for (let n = 0; n < 3; n++) expect(await find('newcomer')).toEqual([])
      await api.service.post(petBody({ name: 'Newcomer' }), JSON_TYPE)
      for (let n = 0; n < 3; n++) expect(await find('newcomer')).toEqual(['Newcomer'])
    })

    for (const path of ['/pets', '/store/orders']) {
      const bad = (query: string, message: string) => ({
        description: `${path}?${query}`,
        ask: `GET ${path}?${query}`,
        status: 400,
        code: 'invalid_parameter',
        message: [message],
      })
      api.rows([
        bad('search=', 'search must be 1 to 255 characters long.'),
        bad(`search=${'a'.repeat(256)}`, 'search must be 1 to 255 characters long.'),
        bad('search=-', 'search must have a letter or a digit in it.'),
        bad('search=%F0%9F%90%B6', 'search must have a letter or a digit in it.'),
        bad('search=a+b+c+d+e+f+g+h+i', 'search must have at most 8 words.'),
        bad('search=a&search=a', 'search must be given once.'),
        { description: 'eight words', ask: `GET ${path}?search=a+b+c+d+e+f+g+h`, status: 200 },
        { description: '255 characters', ask: `GET ${path}?search=${'%E7%8E%8B'.repeat(255)}`, status: 200 },
      ])
    }
  })
}
