// The response cache: answers are cached or shared between callers only if the operation allows it.

import { afterEach, expect, test } from 'bun:test'
import { type Service, startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { Context, type RoutedRequest } from '../../src/http/context.ts'
import { handlers } from '../../src/http/pipeline.ts'
import { AnswerCache } from '../../src/http/response/answer-cache.ts'
import { NO_ROUTE, ok } from '../../src/http/response/response.ts'

const { listPets } = handlers
let service: Service | undefined
afterEach(async () => {
  handlers.listPets = listPets
  await service?.stop()
  service = undefined
})

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

/** Sends requests from two callers in turns, and returns the responses of each. */
async function askedInTurns(): Promise<[string[], string[]]> {
  service = await startService()
  const keys = [service.key, await service.addKey()]
  const told: [string[], string[]] = [[], []]
  for (let n = 0; n < 4; n++) {
    for (const [index, key] of keys.entries()) {
      told[index]?.push(await (await fetch(`${service.url}/pets`, bearer(key))).text())
    }
  }
  return told
}

test('an operation that is not shared runs for each caller', async () => {
  handlers.listPets = async (_services, { id }) => ok(`["${id}"]`)
  const [one, two] = await askedInTurns()
  expect(new Set(one)).toEqual(new Set(['["1"]']))
  expect(new Set(two)).toEqual(new Set(['["2"]']))
})

test('a shared operation runs for the first two requests, and is cached for all callers', async () => {
  let asked = 0
  handlers.listPets = Object.assign(async () => ok(`["${++asked}"]`), { shared: true })
  const [one, two] = await askedInTurns()
  expect([one.length, two.length, asked]).toEqual([4, 4, 2])
})

test('only lists and the inventory are shared', () => {
  const marked = Object.entries(handlers).flatMap(([id, { shared }]) => (shared ? [id] : []))
  expect(marked).toEqual(['listPets', 'listOrders', 'getInventory'])
})

test('a response is shared and cached only if it was read after the newest commit that its requests know', async () => {
  const lists = new AnswerCache()
  const runs: ((text: string) => void)[] = []
  const context = (version: number) => contextOf('http://127.0.0.1/v1/pets', version)
  const ask = (version: number) =>
    lists.read(context(version), () => new Promise((resolve) => runs.push((text) => resolve(ok(text)))))
  const end = async (run: number, text: string) => {
    await until('the operation runs', () => runs.length > run, { everyMs: 1 })
    runs[run]?.(text)
  }
  // The cache ignores the first request.
  const ignored = ask(1)
  await end(0, 'ignored')
  await ignored
  const before = ask(1)
  await until('the operation runs', () => runs.length > 1, { everyMs: 1 })
  const after = Promise.all([ask(1), ask(2)])
  await end(1, 'old')
  expect((await before).body).toBe('old')
  expect(lists.get(context(2))).toBeUndefined()
  await end(2, 'new')
  expect((await after).map(({ body }) => body)).toEqual(['new', 'new'])
  expect([1, 2].map((version) => lists.get(context(version))?.body)).toEqual([undefined, 'new'])
})

test('requests with different parameters share nothing', async () => {
  const lists = new AnswerCache()
  const ask = (query: string) => lists.read(contextOf(`http://127.0.0.1/v1/pets?${query}`, 1), async () => ok(query))
  const queries = ['limit=1', 'limit=10']
  for (let n = 0; n < 3; n++) expect((await Promise.all(queries.map(ask))).map(({ body }) => body)).toEqual(queries)
})

/** Requests this many lists, each often enough to be cached, and returns how many are cached at the end. */
async function kept(count: number, text: string): Promise<number> {
  const lists = new AnswerCache()
  const answer = ok(text)
  const contexts = Array.from({ length: count }, (_, n) => contextOf(`http://127.0.0.1/v1/pets?${n}`, 1))
  for (const context of contexts) for (let n = 0; n < 2; n++) await lists.read(context, async () => answer)
  return contexts.filter((context) => lists.get(context)).length
}

test('the cache holds about 8 MB of text, and starts over when it is full', async () => {
  const large = await kept(50, 'x'.repeat(1_000_000))
  expect(large).toBeLessThan(10)
  expect(large).toBeGreaterThan(1)
})

test('the cache holds a few thousand short lists', async () => {
  expect(await kept(10_000, '[]')).toBeLessThan(9_000)
})

test.each([
  ['long URLs', 'x'.repeat(600), 1],
  ['responses of a store without a version', '', undefined],
])('the cache ignores %s', async (_, query, version) => {
  const lists = new AnswerCache()
  const context = contextOf(`http://127.0.0.1/v1/pets?${query}`, version)
  for (let n = 0; n < 3; n++) await lists.read(context, async () => ok('[]'))
  expect(lists.get(context)).toBeUndefined()
})

function contextOf(url: string, version?: number): Context {
  const context = new Context(new Request(url) as RoutedRequest, NO_ROUTE, 'none', 0)
  context.version = { data: version, keys: 0 }
  return context
}
