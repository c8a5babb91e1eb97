// The filters of every list of the contract: each narrows its list to the items that have its value, alone and with the others, and stays
// in the link to the next page. A filter that is added to the contract is here at once.

import { beforeAll, expect, test } from 'bun:test'
import document from '../../openapi.yaml'
import { petBody } from '../support/pets.ts'
import { describeApi, JSON_TYPE, type OnStore } from './api.ts'

type Item = Record<string, string | number>

const OTHERS = ['limit', 'cursor', 'sort', 'search', 'from', 'wait']

/** The lists, with the names of their filters: parameters that are fields of the items. */
const LISTS = Object.entries(document.paths).flatMap(([path, { get }]) => {
  const names = (get?.parameters ?? []).flatMap((one) => ('name' in one && one.in === 'query' ? one.name : []))
  return names.includes('cursor') ? [{ path, filters: names.filter((name) => !OTHERS.includes(name)) }] : []
})

export function filters(on: OnStore): void {
  describeApi('filters', on, ({ start }) => {
    let get: (target: string) => Promise<{ items: Item[]; next: string | undefined }>

    beforeAll(async () => {
      const service = await start()
      for (let n = 0; n < 24; n++) {
        const status = ['available', 'available', 'pending', 'sold'][n % 4]
        await service.post(petBody({ status, categoryId: BigInt(n % 3) }), JSON_TYPE)
      }
      const order = async (method: string, path: string, body?: string) => {
        const answer = await service.request(method, `/store/orders${path}`, {
          headers: JSON_TYPE,
          ...(body && { body }),
        })
        expect(answer.status).toBeLessThan(300)
        return answer.text === '' ? undefined : JSON.parse(answer.text).id
      }
      const place = (petId: number) => order('POST', '', `{"petId":${petId}}`)
      for (let round = 0; round < 3; round++)
        for (const petId of [1, 2, 5]) await order('DELETE', `/${await place(petId)}`)
      for (const petId of [1, 2]) await place(petId)
      get = async (target) => {
        const { status, text, headers } = await service.get(target)
        expect(status).toBe(200)
        const next = /^<\/v1([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
        return { items: JSON.parse(text), next }
      }
    })

    test.each(LISTS)('of $path: $filters', async ({ path, filters }) => {
      expect(filters.length).toBeGreaterThan(0)
      const { items: everything } = await get(`${path}?limit=100`)
      for (const chosen of combinations(filters)) {
        const queryOf = (item: Item) => chosen.map((name) => `${name}=${item[name]}`)
        const examples = everything.filter((item) => chosen.every((name) => name in item))
        // Another kind of parameter needs a test of its own, and stands among the others.
        if (chosen.length === 1) expect({ chosen, examples: examples.length }).not.toMatchObject({ examples: 0 })
        for (const example of new Map(examples.map((item) => [queryOf(item).join(), item])).values()) {
          const query = queryOf(example)
          const expected = everything.filter((item) => chosen.every((name) => item[name] === example[name]))
          expect(expected.length).toBeLessThan(everything.length)
          expect(await follow(`${path}?limit=2&${query.join('&')}`, query)).toEqual(expected)
        }
      }
    })

    /** The items of all pages; each link has the whole query. */
    async function follow(target: string, query: string[]): Promise<Item[]> {
      const { items, next } = await get(target)
      // The feed of events has a link behind its end, too.
      if (next === undefined || items.length === 0) return items
      expect(next.split(/[?&]/)).toEqual(expect.arrayContaining(['limit=2', ...query]))
      return [...items, ...(await follow(next, query))]
    }
  })
}

function combinations(names: readonly string[]): string[][] {
  const [first, ...rest] = names
  if (first === undefined) return []
  const others = combinations(rest)
  return [[first], ...others, ...others.map((other) => [first, ...other])]
}
