// An independent server of the interface document, packages/verify/test/servers/http.mjs, with habits that the document
// allows. It keeps every promise of the level `interface`.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { brokenOf, examine, keysOf, promisesOf } from '../../../test/support/examine.ts'
import { startProxy } from '../../../test/support/faulty.ts'
import { startService } from '../../../test/support/service.ts'
import { behaviourOf } from '../../practice/src/contract-faults/shared/faults.ts'
import { withKey } from '../../practice/src/contract-faults/shared/requests.ts'
import { headerOf, withHeader } from '../src/headers.ts'
import type { Target } from '../src/probe.ts'
import { PROMISES } from '../src/promises/all.ts'
import { wokenLate } from './planted.ts'

const KEY = 'a-key-of-their-own'

const ALL = process.env.FAULTS === 'planted'
if (ALL) setDefaultTimeout(3_600_000)

/** Correct variants of http.mjs. Only `npm run endurance -- planted` runs the slow ones. */
const HABITS = [
  'known-categories known-categories-empty one-category-empty plain-names long-names other-names small-categories strict',
  `late-reads two-copies at-most-10 full others-add others-delete${ALL ? ' slow slower limited one-a-second' : ''}`,
].flatMap((habits) => habits.split(' '))
const HELD_MIN = 30

describe('http.mjs', () => {
  let origin = ''
  let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  const examined = (name: string, write: boolean) =>
    examine(`${origin}/${name}/v1`, { keys: { full: KEY }, write, chosen: promisesOf('interface') })

  beforeAll(async () => {
    server = Bun.spawn(['node', join(import.meta.dir, 'servers/http.mjs'), KEY], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { value } = await server.stdout.getReader().read()
    origin = new TextDecoder().decode(value).trim()
  })
  afterAll(() => server.kill())

  test('a server with other choices keeps the interface while its store fills', async () => {
    for (const write of [false, true, false, true, true, true, true, false]) {
      expect(brokenOf(await examined('right', write))).toEqual([])
    }
  })

  test.concurrent.each(HABITS)('a server with the habit %s breaks no promise', async (habit) => {
    for (const write of [true, false]) {
      const results = await examined(habit, write)
      expect(brokenOf(results)).toEqual([])
      if (write) expect(results.filter(({ outcome }) => outcome === 'held').length).toBeGreaterThan(HELD_MIN)
    }
  })

  test.each(['name-not-required', 'category-not-checked', 'status-not-checked'])(
    'http.mjs reports a pet that was added by mistake only for its create, even in a later run: %s',
    async (fault) => {
      for (const write of [true, true, false]) {
        const lines = brokenOf(await examined(fault, write))
        expect(lines.filter((line) => !line.startsWith('pets.create.refused.'))).toEqual([])
        expect(lines.length > 0).toBe(write)
      }
    },
  )
})

const DAY_MS = 86_400_000
const judged = async (url: string, keys: Target['keys'], ids: readonly string[]) => {
  const chosen = PROMISES.filter(({ id }) => ids.includes(id))
  const results = await examine(url, { keys, write: true, chosen })
  expect(brokenOf(results)).toEqual([])
  return results.map(({ outcome }) => outcome)
}

test('a server whose clock is years ahead is not accused of removing getPet', async () => {
  const now = () => Date.now() + 2_000 * DAY_MS
  const service = await startService({ now })
  const dated = await startProxy(service.url, async (request, pass) => {
    const response = await pass(request)
    return { ...response, headers: withHeader(response.headers, 'Date', new Date(now()).toUTCString()) }
  })
  const ids = ['orders.update.expires-at', 'events.order-terms', 'auth.missing.get', 'pets.get.success']
  const outcomes = await judged(dated.url, await keysOf(service), [...ids, 'pets.get.not-found'])
  expect(outcomes).toEqual(['not_checked', 'not_checked', 'not_checked', 'held', 'held'])
})

test('a server whose clock was moved back is not accused', async () => {
  let aheadMs = DAY_MS
  const service = await startService({ now: () => Date.now() + aheadMs })
  await service.post('{"name":"Rex","categoryId":7}')
  aheadMs = 0
  const outcomes = await judged(service.url, await keysOf(service), ['events.list.from.now', 'events.list.from.time'])
  expect(outcomes).toEqual(['held', 'held'])
})

test('a server whose keys start without lowercase letters is not accused', async () => {
  const service = await startService({ now: Date.now })
  const full = '12345-A-KEY-OF-THEIR-OWN'
  const translated = await startProxy(service.url, (request, pass) =>
    pass(
      headerOf(request.headers, 'Authorization') === `Bearer ${full}`
        ? withKey(request, `Bearer ${service.key}`)
        : request,
    ),
  )
  expect(await judged(translated.url, { full }, ['auth.key.case'])).toEqual(['not_checked'])
})

test('reports an event that only arrives when wait ends', async () => {
  const service = await startService({ now: Date.now })
  const late = await startProxy(service.url, behaviourOf(wokenLate))
  const chosen = PROMISES.filter(({ id }) => id === 'events.list.wait.woken')
  const results = await examine(late.url, { keys: await keysOf(service), write: true, chosen })
  expect(results).toMatchObject([{ outcome: 'broken', expected: 'the event within 6000 ms' }])
})

test('uses a longer reservation if the server is slower than the first one', async () => {
  const service = await startService({ now: Date.now })
  const slow = await startProxy(service.url, async (request, pass) => {
    if (request.method === 'POST') await Bun.sleep(1_200)
    return pass(request)
  })
  const chosen = PROMISES.filter(({ id }) => id === 'orders.expiry.ended')
  const results = await examine(slow.url, { keys: await keysOf(service), write: true, chosen })
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([['orders.expiry.ended', 'held']])
})

test('recognizes its own order if the 201 arrives after the 409 of a simultaneous request', async () => {
  const service = await startService({ now: Date.now })
  const slow = await startProxy(service.url, async (request, pass) => {
    const answer = await pass(request)
    if (answer.status === 201) await Bun.sleep(300)
    return answer
  })
  const chosen = PROMISES.filter(({ id }) => id === 'orders.place.idempotency.together')
  const results = await examine(slow.url, { keys: await keysOf(service), write: true, chosen })
  expect(results).toMatchObject([{ outcome: 'held' }])
})
