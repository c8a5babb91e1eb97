// Answers that are kept and given again, or given to several who ask together: to other callers only where the operation says that its
// answers are the same for all.

import { afterEach, describe, expect, test } from 'bun:test'
import { type Service, startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { Context, type RoutedRequest } from '../../src/http/context.ts'
import { handlers } from '../../src/http/operations/all.ts'
import { AnswerCache } from '../../src/http/response/answer-cache.ts'
import { type Answer, ok } from '../../src/http/response/response.ts'
import { NO_ROUTE } from '../../src/http/response/shared-headers.ts'

const { listPets } = handlers
let service: Service | undefined
afterEach(async () => {
  handlers.listPets = listPets
  await service?.stop()
  service = undefined
})

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

/** Two callers, each several times and in turns: what each was told. */
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

test('an operation marked as shared runs once or twice for all callers', async () => {
  let asked = 0
  handlers.listPets = Object.assign(async () => ok(`["${++asked}"]`), { shared: true })
  const [one, two] = await askedInTurns()
  expect([one.length, two.length, asked]).toEqual([4, 4, 2])
})

test('only lists and the inventory are shared', () => {
  const marked = Object.entries(handlers).flatMap(([id, { shared }]) => (shared ? [id] : []))
  expect(marked).toEqual(['listPets', 'listOrders', 'getInventory'])
})

describe('requests for one list that arrive together', () => {
  let lists = new AnswerCache()
  let runs: ((text: string) => void)[] = []
  let url = ''

  /** A request that arrives when the store has this version, and the body that it is answered with. */
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

  /** A list that was asked for once. */
  async function known(name: string): Promise<void> {
    lists = new AnswerCache()
    url = `http://127.0.0.1/v1/pets?${name}`
    runs = []
    const first = ask(1)
    runs[0]?.('first')
    await first
    runs = []
  }

  test('share none that was begun before they came, and what it keeps is given to no request after a commit', async () => {
    await known('version')
    const before = ask(1)
    await running(1)
    const after = [ask(2), ask(2)]
    runs[0]?.('old')
    expect(await before).toBe('old')
    expect(lists.get(contextOf(url, 2))).toBeUndefined()
    await running(2)
    runs[1]?.('new')
    expect(await Promise.all(after)).toEqual(['new', 'new'])
    expect(lists.get(contextOf(url, 2))?.body).toBe('new')
    expect(lists.get(contextOf(url, 1))).toBeUndefined()
  })

  test('get what a run has kept that ended while they waited, where nothing was committed', async () => {
    await known('kept')
    const first = ask(3)
    await running(1)
    const late = ask(3)
    runs[0]?.('list')
    expect(await Promise.all([first, late])).toEqual(['list', 'list'])
    expect(runs.length).toBe(1)
  })

  test('are kept for nobody where the store has no version', async () => {
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

describe('the lists that are kept', () => {
  /** Asks for as many lists, each often enough to be cached. Gives how many are cached in the end. */
  async function kept(count: number, text: string): Promise<number> {
    const lists = new AnswerCache()
    const answer = ok(text)
    const contexts = Array.from({ length: count }, (_, n) => contextOf(`http://127.0.0.1/v1/pets?${n}`, 1))
    for (const context of contexts) for (let n = 0; n < 2; n++) await lists.read(context, async () => answer)
    return contexts.filter((context) => lists.get(context)).length
  }

  test('hold about 8 MB of text at most; where there were more, others are kept from then on', async () => {
    const large = await kept(50, 'x'.repeat(1_000_000))
    expect(large).toBeLessThan(10)
    expect(large).toBeGreaterThan(1)
  })

  test('are a few thousand at most, however short they are', async () => {
    expect(await kept(10_000, '[]')).toBeLessThan(9_000)
  })

  test('have no long URL', async () => {
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
