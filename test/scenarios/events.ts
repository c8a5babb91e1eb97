// What listEvents shows: order, links, places to begin at, filters, and that it waits no longer than it is asked to.

import { beforeAll, expect, test } from 'bun:test'
import type { Answer } from '../support/service.ts'
import { describeApi, expectError, type OnStore, type Row } from './api.ts'
import { after, ordersOf, turnToNow } from './orders.ts'

interface EventBody {
  id: number
  type: string
  at: string
  by?: string
  petId: number
  petStatus?: string
  orderId?: number
}

const eventsOf = ({ text }: Answer): EventBody[] => JSON.parse(text)
/** Behind /v1. */
const next = ({ headers }: Answer): string =>
  /^<\/v1(\/store\/events\?[^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1] ?? 'no link'

export function events(on: OnStore): void {
  describeApi('listEvents', on, (api) => {
    const { request, get, newPet, placed, complete, cancel } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    async function follow(path: string): Promise<EventBody[]> {
      const all: EventBody[] = []
      for (let page = await get(path); page.text !== '[]'; page = await get(next(page))) all.push(...eventsOf(page))
      return all
    }
    const typesOf = (all: readonly EventBody[]) => all.map(({ type }) => type)

    test('an empty store has no events, and says where they will be', async () => {
      const page = await get('/store/events')
      expect(page.text).toBe('[]')
      expect(page.headers.get('Cache-Control')).toBe('no-store')
      expect(page.headers.has('ETag')).toBe(false)
      const pet = await newPet()
      const [event, ...others] = eventsOf(await get(next(page)))
      expect(others).toEqual([])
      expect(event).toMatchObject({ type: 'pet.added', petId: pet, petStatus: 'available', by: 'test' })
    })

    test('at most twenty, and those that follow the links see each once', async () => {
      for (let n = 0; n < 9; n++) await complete((await placed()).id)
      expect(eventsOf(await get('/store/events')).length).toBe(20)
      const all = await follow('/store/events?limit=100')
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b))
      expect(all.length).toBe(28)
      expect(await follow('/store/events?limit=3')).toEqual(all)
      expect(await follow('/store/events?from=beginning')).toEqual(all)
    })

    test('the link repeats limit and filters, and not where it began and how long it waited', async () => {
      const { id, petId } = await placed()
      const path = `/store/events?limit=1&petId=${petId}&orderId=${id}`
      const page = await get(`${path}&from=beginning&wait=1`)
      expect(next(page)).toMatch(new RegExp(`^/store/events\\?limit=1&petId=${petId}&orderId=${id}&cursor=[\\w-]{24}$`))
      await cancel(id)
      expect(typesOf(await follow(path))).toEqual(['order.placed', 'order.cancelled'])
      expect(typesOf(await follow(`/store/events?petId=${petId}`))).toEqual([
        'pet.added',
        'order.placed',
        'order.cancelled',
      ])
    })

    test('a cursor goes on with another limit and another filter', async () => {
      const { petId } = await placed()
      const [, cursor] = next(await get(`/store/events?petId=${petId}&limit=1`)).split('&cursor=')
      expect(typesOf(eventsOf(await get(`/store/events?cursor=${cursor}&limit=7`)))).toEqual(['order.placed'])
      expect(eventsOf(await get(`/store/events?cursor=${cursor}&petId=1`))).toEqual([])
    })

    test('from now: what follows; from a time: from then on', async () => {
      const [first] = eventsOf(await get('/store/events?limit=1'))
      expect(eventsOf(await get(`/store/events?limit=1&from=${first?.at}`))).toEqual([first as EventBody])
      expect(eventsOf(await get('/store/events?limit=1&from=1970-01-01T01:00:00%2B01:00'))).toEqual([
        first as EventBody,
      ])
      for (const from of ['now', after(60_000)]) {
        const page = await get(`/store/events?from=${from}`)
        expect(page.text).toBe('[]')
        const pet = await newPet()
        expect(eventsOf(await get(next(page))).map(({ petId }) => petId)).toEqual([pet])
      }
    })

    test('waits until something follows', async () => {
      const place = next(await get('/store/events?from=now'))
      const waiting = get(`${place}&wait=30`)
      await Bun.sleep(50)
      const pet = await newPet()
      expect(eventsOf(await waiting).map(({ petId }) => petId)).toEqual([pet])
    })

    test('waits no longer than it is asked to', async () => {
      const startedAt = performance.now()
      expect((await get('/store/events?from=now&wait=1')).text).toBe('[]')
      expect(performance.now() - startedAt).toBeGreaterThan(990)
    })

    test('HEAD answers as GET, without the body', async () => {
      const head = await request('HEAD /store/events')
      expect([head.status, head.text]).toEqual([200, ''])
      expect(next(head)).toBe(next(await get('/store/events')))
    })

    test('an earlier cursor is refused in a new epoch', async () => {
      const cursor = next(await get('/store/events'))
      await api.service.store.beginEpoch()
      for (const path of [cursor, `${cursor}&wait=5`])
        expectError(await get(path), 410, 'cursor_expired', ['Begin anew'])
      expect((await get(next(await get('/store/events')))).status).toBe(200)
    })

    test('a key that may only read reads them', async () => {
      expect((await get('/store/events', api.readOnly)).status).toBe(200)
    })

    const bad = (query: string, ...message: string[]): Row => ({
      description: query,
      ask: `GET /store/events?${query}`,
      status: 400,
      code: 'invalid_parameter',
      message,
    })
    const where = 'from must be beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z.'
    const cursor = 'cursor must be copied unchanged'
    api.rows([
      { description: 'an unknown parameter is ignored', ask: 'GET /store/events?page=2', status: 200 },
      bad('limit=0', 'limit must be an integer from 1 to 100'),
      bad('limit=101', 'limit must be an integer from 1 to 100'),
      bad('petId=', 'petId must be an integer'),
      bad('orderId=x', 'orderId must be an integer'),
      bad('wait=31', 'wait must be an integer from 0 to 30'),
      bad('wait=-1', 'wait must be an integer from 0 to 30'),
      bad('wait=1&wait=1', 'wait must be given once.'),
      bad('from=', where),
      bad('from=then', where),
      bad('from=2026-11-21', where),
      bad('from=2026-11-21T18:00:00', where),
      bad('from=2026-02-30T18:00:00Z', where),
      bad('from=now&from=now', 'from must be given once.'),
      bad('cursor=x', cursor),
      bad('cursor=AAAAAAAAAAAAAAAAAAAAAAAA', cursor),
      // A cursor of a list.
      bad('cursor=AAAAAAAAABRSC4o', cursor),
      bad('from=now&cursor=cEiGDd95AAAAAAAAADZE-v89', 'from and cursor cannot be given together'),
    ])
  })
}
