// What listOrders, getOrder and getInventory show: order, links, filters, tags, and that no answer is out of date.

import { beforeAll, expect, test } from 'bun:test'
import { encodeCursor } from '../../src/http/request/cursor.ts'
import type { Answer } from '../support/service.ts'
import { bearer, describeApi, expectError, type OnStore, type Row } from './api.ts'
import { expectIfMatch } from './conditional-requests.ts'
import { ordersOf, turnToNow } from './orders.ts'

const ids = ({ text }: Answer): number[] => JSON.parse(text).map(({ id }: { id: number }) => id)
const next = ({ headers }: Answer): string | undefined =>
  /^<\/v1(\/store\/orders\?[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]

export function listOrders(on: OnStore): void {
  describeApi('listOrders', on, (api) => {
    const { get, newPet, placed, read, complete, cancel, giveBack, orderThatIs } = ordersOf(api)

    async function follow(path: string): Promise<Answer[]> {
      const pages = [await get(path)]
      for (let link = next(pages[0] as Answer); link; link = next(pages.at(-1) as Answer)) pages.push(await get(link))
      return pages
    }

    beforeAll(async () => {
      turnToNow(api)
      for (let n = 0; n < 6; n++) {
        for (const status of ['pending', 'completed', 'cancelled', 'returned'] as const) await orderThatIs(status)
      }
    })

    test('at most twenty, oldest first, each as getOrder gives it', async () => {
      const page = await get('/store/orders')
      expect(ids(page)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
      const all = await Promise.all(ids(page).map((id) => read(id)))
      expect(page.text).toBe(`[${all.map(({ text }) => text).join(',')}]`)
    })

    test('following the links shows every order exactly once', async () => {
      const everything = (await follow('/store/orders?limit=100')).flatMap(ids)
      expect((await follow('/store/orders?limit=7')).flatMap(ids)).toEqual(everything)
      expect(new Set(everything).size).toBe(everything.length)
    })

    test('the link keeps limit and filters', async () => {
      const petId = await newPet()
      for (let n = 0; n < 5; n++) await cancel((await placed({ petId })).id)
      const kept = await placed({ petId })
      const pages = await follow(`/store/orders?petId=${petId}&status=cancelled&limit=2`)
      expect(pages.map((page) => ids(page).length)).toEqual([2, 2, 1])
      expect(next(pages[0] as Answer)).toMatch(
        new RegExp(`^/store/orders\\?limit=2&status=cancelled&petId=${petId}&cursor=[\\w-]{15}$`),
      )
      expect(ids(await get(`/store/orders?petId=${petId}`))).toEqual([...pages.flatMap(ids), kept.id])
    })

    for (const status of ['pending', 'completed', 'cancelled', 'expired', 'returned']) {
      test(`only ${status} ones`, async () => {
        const everything = (await follow('/store/orders?limit=100')).flatMap(({ text }) => JSON.parse(text))
        const some = (await follow(`/store/orders?limit=2&status=${status}`)).flatMap(({ text }) => JSON.parse(text))
        expect(some).toEqual(everything.filter((order) => order.status === status))
        if (status !== 'expired') expect(some.length).toBeGreaterThan(0)
      })
    }

    test('a pet without orders, and one that does not exist: an empty list', async () => {
      for (const petId of [await newPet(), 0, -5, '-9223372036854775808']) {
        expect((await get(`/store/orders?petId=${petId}`)).text).toBe('[]')
      }
    })

    test('a cursor of pets is invalid for orders, and the reverse', async () => {
      const row = async (path: string) => (await get(path)).status
      expect(await row(`/store/orders?cursor=${encodeCursor(2n, 'orders')}`)).toBe(200)
      expect(await row(`/store/orders?cursor=${encodeCursor(2n)}`)).toBe(400)
      expect(await row(`/pets?cursor=${encodeCursor(2n, 'orders')}`)).toBe(400)
    })

    test('the next list shows what a transition has answered', async () => {
      const { id, petId } = await placed()
      for (const [transition, status] of [
        [complete, 'completed'],
        [giveBack, 'returned'],
      ] as const) {
        for (let n = 0; n < 3; n++) await get(`/store/orders?petId=${petId}`)
        await transition(id)
        expect((await get(`/store/orders?petId=${petId}`)).text).toContain(`"status":"${status}"`)
      }
    })

    const bad = (query: string, ...message: string[]): Row => ({
      description: query,
      ask: `GET /store/orders?${query}`,
      status: 400,
      code: 'invalid_parameter',
      message,
    })
    api.rows([
      { description: 'an unknown parameter is ignored', ask: 'GET /store/orders?page=2', status: 200 },
      bad('limit=0', 'limit must be an integer from 1 to 100'),
      bad('limit=101', 'limit must be an integer from 1 to 100'),
      bad('status=sold', 'status must be one of pending, completed, cancelled, expired, returned.'),
      bad('status=pending&status=pending', 'status must be given once.'),
      bad('petId=', 'petId must be an integer'),
      bad('petId=x', 'petId must be an integer'),
      bad('petId=1.0', 'petId must be an integer'),
      bad('petId=9223372036854775808', 'petId must be an integer'),
      bad('petId=1&petId=1', 'petId must be given once.'),
      bad('limit=x&status=x&petId=x', 'limit must', 'status must', 'petId must'),
      bad('cursor=x', "cursor must be copied unchanged from the previous page's Link header."),
    ])
  })

  describeApi('conditional requests of the store area', on, (api) => {
    const { request, get, placed, complete } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    test('list, order and inventory are not sent again while they are the same, and at once when they are not', async () => {
      const { id, petId } = await placed()
      const paths = [`/store/orders?petId=${petId}`, `/store/orders/${id}`, '/store/inventory']
      const tags = new Map<string, string>()
      for (const path of paths) {
        const { headers } = await get(path)
        const tag = headers.get('ETag') ?? ''
        expect(tag).toMatch(/^"[\w-]{22}"$/)
        expect(headers.get('Cache-Control')).toBe('private, no-cache')
        for (const condition of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
          const again = await get(path, { 'If-None-Match': condition })
          expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag])
        }
        const head = await request(`HEAD ${path}`)
        expect([head.status, head.headers.get('ETag'), head.text]).toEqual([200, tag, ''])
        tags.set(path, tag)
      }
      await complete(id)
      for (const path of paths) {
        expect((await get(path, { 'If-None-Match': tags.get(path) ?? '' })).status).toBe(200)
      }
    })

    test('what has changed since is not sent to who wants only what it was: 412', async () => {
      const { id, petId } = await placed()
      const paths = [`/store/orders?petId=${petId}`, `/store/orders/${id}`, '/store/inventory']
      const tags = await Promise.all(paths.map(async (path) => (await get(path)).headers.get('ETag') ?? ''))
      for (const [n, path] of paths.entries()) await expectIfMatch(api, path, tags[n] ?? '')
      await complete(id)
      for (const [n, path] of paths.entries()) {
        expectError(await get(path, { 'If-Match': tags[n] ?? '' }), 412, 'precondition_failed', ['If-Match'])
      }
    })
  })

  describeApi('getInventory', on, (api) => {
    const { get, newPet, placed, complete, cancel, giveBack, orderThatIs } = ordersOf(api)
    beforeAll(async () => {
      turnToNow(api)
      for (const status of ['pending', 'completed', 'cancelled', 'returned'] as const) await orderThatIs(status)
    })
    const inventory = async () => JSON.parse((await get('/store/inventory')).text)

    test('counts every pet once, by its status', async () => {
      const counted = { available: 0, pending: 0, sold: 0 }
      for (let path: string | undefined = '/pets?limit=100'; path; ) {
        const page: Answer = await get(path)
        for (const { status } of JSON.parse(page.text)) counted[status as keyof typeof counted]++
        path = /^<\/v1([^>]*)>/.exec(page.headers.get('Link') ?? '')?.[1]
      }
      expect(await inventory()).toEqual(counted)
    })

    test('follows each transition, the same for every key', async () => {
      const reader = api.readOnly
      const other = bearer(await api.service.addKey())
      const before = await inventory()
      const seen: unknown[] = []
      const look = async () => {
        const now = await inventory()
        const change = (status: string) => now[status] - before[status]
        seen.push([change('available'), change('pending'), change('sold')])
        for (const headers of [reader, other]) {
          expect(JSON.parse((await get('/store/inventory', headers)).text)).toEqual(now)
        }
      }
      const petId = await newPet()
      await look()
      const { id } = await placed({ petId })
      await look()
      await complete(id)
      await look()
      await giveBack(id)
      await look()
      await cancel((await placed({ petId })).id)
      await look()
      expect(seen).toEqual([
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
        [1, 0, 0],
      ])
    })
  })
}
