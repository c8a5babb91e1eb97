// The answer cache: answers are cached or shared between callers only if the operation allows it.

import { afterEach, describe, expect, test } from 'bun:test'
import { type Service, startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { Context, type RoutedRequest } from '../../src/http/context.ts'
import { handlers } from '../../src/http/pipeline.ts'
import { AnswerCache } from '../../src/http/response/answer-cache.ts'
import { type Answer, NO_ROUTE, ok } from '../../src/http/response/response.ts'

const { listPets } = handlers
let service: Service | undefined
afterEach(async () => {
  handlers.listPets = listPets
  await service?.stop()
  service = undefined
})

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

/** Sends requests from two callers in turns, and returns the answers of each. */
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

describe('concurrent requests for one list', () => {
  let lists = new AnswerCache()
  let runs: ((text: string) => void)[] = []
  let url = ''

  /** Resolves with the answer's body to a request that arrives when the store has this version. */
  function ask(version: number | undefined, address = url): Promise<string> {
    const run = () =>
      new Promise<Answer>((resolve, reject) =>
        runs.push((text) => (text === 'fail' ? reject(new Error(text)) : resolve(ok(text)))),
      )
    return lists.read(contextOf(address, version), run).then(({ body }) => String(body))
  }

  async function running(count: number): Promise<void> {
    await until('the operation has run often enough', () => runs.length >= count, { everyMs: 1 })
  }

  /** Requests a list once, because the cache ignores the first request. */
  async function known(name: string): Promise<void> {
    lists = new AnswerCache()
    url = `http://127.0.0.1/v1/pets?${name}`
    runs = []
    const first = ask(1)
    runs[0]?.('first')
    await first
    runs = []
  }

  test('do not share a reading that began before them, or its cached answer after a commit', async () => {
    await known('version')
    const before = ask(1)
    await running(1)
    const after = Promise.all([ask(1), ask(2)])
    runs[0]?.('old')
    expect(await before).toBe('old')
    expect(lists.get(contextOf(url, 2))).toBeUndefined()
    await Promise.race([running(2), after])
    runs[1]?.('new')
    expect(await after).toEqual(['new', 'new'])
    expect(lists.get(contextOf(url, 2))?.body).toBe('new')
    expect(lists.get(contextOf(url, 1))).toBeUndefined()
  })

  test('share nothing with requests that have other parameters', async () => {
    await known('limit=1')
    const other = `${url}0`
    const first = ask(1, other)
    runs[0]?.('first')
    await first
    runs = []
    const both = [ask(1), ask(1, other)]
    await running(2)
    for (const [n, end] of runs.entries()) end(String(n))
    expect(await Promise.all(both)).toEqual(['0', '1'])
  })

  test('get the answer cached while they waited, if nothing was committed', async () => {
    await known('kept')
    const first = ask(3)
    await running(1)
    const late = ask(3)
    runs[0]?.('list')
    expect(await Promise.all([first, late])).toEqual(['list', 'list'])
    expect(runs.length).toBe(1)
  })

  test('share readings, but are not cached, if the store has no version', async () => {
    await known('versionless')
    for (const n of [1, 2]) {
      const asked = [ask(undefined), ask(undefined)]
      await running(n)
      runs[n - 1]?.(String(n))
      expect(await Promise.all(asked)).toEqual([String(n), String(n)])
      expect(lists.get(contextOf(url))).toBeUndefined()
    }
  })
})

describe('the cache', () => {
  /** Requests this many lists, each often enough to be cached, and returns how many are cached at the end. */
  async function kept(count: number, text: string): Promise<number> {
    const lists = new AnswerCache()
    const answer = ok(text)
    const contexts = Array.from({ length: count }, (_, n) => contextOf(`http://127.0.0.1/v1/pets?${n}`, 1))
    for (const context of contexts) for (let n = 0; n < 2; n++) await lists.read(context, async () => answer)
    return contexts.filter((context) => lists.get(context)).length
  }

  test('holds about 8 MB of text, and starts over when it is full', async () => {
    const large = await kept(50, 'x'.repeat(1_000_000))
    expect(large).toBeLessThan(10)
    expect(large).toBeGreaterThan(1)
  })

  test('holds a few thousand short lists', async () => {
    expect(await kept(10_000, '[]')).toBeLessThan(9_000)
  })

  test('ignores long URLs', async () => {
    const lists = new AnswerCache()
    const context = contextOf(`http://127.0.0.1/v1/pets?${'x'.repeat(600)}`, 1)
    for (let n = 0; n < 3; n++) await lists.read(context, async () => ok('[]'))
    expect(lists.get(context)).toBeUndefined()
  })
})

function contextOf(url: string, version?: number): Context {
  const context = new Context(new Request(url) as RoutedRequest, NO_ROUTE, 'none', 0)
  context.version = { data: version, keys: 0 }
  return context
}
