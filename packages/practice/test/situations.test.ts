// Clients that once were judged wrongly: right ones that were accused, and faults of clients that were not seen.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService } from '../../../test/support/service.ts'
import { LESSONS } from '../src/lessons/all.ts'
import { reportOf } from '../src/report.ts'
import { nextOf, REX, type Script, withClient } from './scripted-client.ts'

const service = await startService()
const otherKey = await service.addKey({ name: 'other' })
for (let n = 0; n < 21; n++) await service.post(REX)

const adding = (categoryId: string): Script => {
  return async (client) => {
    await client.add('large', '{"name":"Large","categoryId":9223372036854775807}')
    await client.add('sent', `{"name":"Sent","categoryId":${categoryId}}`)
  }
}
const failing =
  (fault: Parameters<Parameters<Script>[0]['fail']>[0], ...steps: Script[]): Script =>
  async (client) => {
    client.fail(fault)
    for (const step of steps) await step(client)
  }
const list: Script = (client) => client.get('/pets')
const keyless: Script = (client) => client.add(undefined)
const add =
  (key: string): Script =>
  (client) =>
    client.add(key)
const wait =
  (ms: number): Script =>
  async (client) =>
    client.wait(ms)
/** The same on connections of their own, at once. */
const parallel =
  (...steps: Script[]): Script =>
  (client) =>
    Promise.all(steps.map((step) => step(client.another())))
/** Lists so many times, at this pace. */
const polling = (path: string, times: number, ms = 300): Script =>
  inTurn(...Array.from({ length: times }, () => [(client) => client.get(path), wait(ms)] as Script[]).flat())
/** The step, with the other API key. */
const withOtherKey =
  (step: Script): Script =>
  async (client) => {
    client.key = otherKey
    await step(client).finally(() => {
      client.key = client.rightKey
    })
  }
const order =
  (key: string): Script =>
  (client) =>
    client.send('POST', '/store/orders', { 'Idempotency-Key': `order-${key}` }, '{"petId":1}')
const inTurn =
  (...steps: Script[]): Script =>
  async (client) => {
    for (const step of steps) await step(client)
  }

const ACCUSED: readonly (readonly [description: string, lesson: string, script: Script])[] = [
  [
    '429 to one of three requests at once',
    'waits.quiet',
    failing({ code: 'rate_limited', retryAfter: 1 }, parallel(list, list, list)),
  ],
  [
    '503 to one of two lists at once',
    'waits.retry-after',
    failing({ status: 503, retryAfter: 1 }, parallel(list, list), wait(1_000), list),
  ],
  [
    'two refusals at once',
    'retries.refused',
    parallel(
      (client) => client.add('{', '{}'),
      (client) => client.add('{', '{}'),
    ),
  ],
  [
    'two wrong keys at once',
    'retries.unauthorized',
    parallel(...[1, 2].map((): Script => (client) => Object.assign(client, { key: 'wrong' }).get('/pets'))),
  ],
  ['four requests at once', 'connections.shared', parallel(list, list, list, list, list)],
  ['the same list twice at once', 'etags.reads', parallel(list, list)],
  [
    'two pets of one name at once',
    'creates.same-key',
    failing({ cut: 'after' }, parallel(add('one'), add('two')), add('one'), add('two')),
  ],
  [
    'an unknown field in two lists at once',
    'unknown.field',
    failing({ unknown: true, times: 2 }, parallel(list, list)),
  ],
  [
    'polling for a pet to come',
    'retries.refused',
    inTurn(...[1, 2, 3].flatMap(() => [(client) => client.get('/pets/999'), wait(1_000)] as Script[])),
  ],
  ['polling after an unknown field', 'unknown.field', failing({ unknown: true }, list, wait(1_000), list)],
  ['polling every 0.3 s after an unknown field', 'unknown.field', failing({ unknown: true }, polling('/pets', 5))],
  [
    'polling every 0.3 s while each answer has an unknown field',
    'unknown.field',
    failing({ unknown: true, rate: 1 }, polling('/pets', 5)),
  ],
  ['polling every 0.3 s for a pet to come', 'retries.refused', polling('/pets/999', 5)],
  [
    'polling every 0.3 s while each refusal has an unknown code',
    'unknown.code',
    failing({ unknown: true, rate: 1 }, polling('/pets/999', 5)),
  ],
  [
    'an order again when the pet may be free',
    'retries.refused',
    inTurn(order('a'), order('b'), wait(1_600), order('c')),
  ],
  [
    'another API key while one is limited',
    'waits.quiet',
    failing({ code: 'rate_limited', retryAfter: 5 }, list, withOtherKey(list)),
  ],
  [
    'what one API key may not, asked for with another',
    'retries.refused',
    failing({ code: 'read_only_key' }, add('kept'), withOtherKey(add('kept'))),
  ],
  [
    'one Idempotency-Key under two API keys',
    'creates.new-key',
    inTurn(
      add('shared'),
      withOtherKey((client) => client.add('shared', '{"name":"Max","categoryId":7}')),
    ),
  ],
  [
    'polling with new connections',
    'connections.shared',
    inTurn(...[1, 2, 3, 4, 5].flatMap(() => [list, (client) => client.close(), wait(5_000)] as Script[])),
  ],
  [
    'polling the feed by a timer that is early',
    'events.wait',
    async (client) => {
      const next = nextOf(await client.get('/store/events?from=now')) ?? ''
      client.wait(990)
      await client.get(next)
    },
  ],
  [
    'full jitter: 80, 3, 150 ms',
    'waits.pause',
    failing({ status: 500, times: 3 }, list, wait(80), list, wait(3), list, wait(150), list),
  ],
  [
    'full jitter: 200, 20, 300 ms',
    'waits.longer',
    failing({ status: 500, times: 3 }, list, wait(200), list, wait(20), list, wait(300), list),
  ],
  ['one page wanted', 'pages.all', (client) => client.get('/pets?limit=2')],
  [
    'a reader that stops at the second page',
    'pages.all',
    async (client) => client.get(nextOf(await client.get('/pets?limit=2')) ?? ''),
  ],
  [
    'an unknown field in an empty list',
    'unknown.field',
    failing({ unknown: true }, (client) => client.get('/pets?status=sold')),
  ],
  ['a cut behind the end of the body', 'retries.truncated', failing({ truncate: 1e9 }, list)],
  [
    '401, then OPTIONS',
    'retries.unauthorized',
    async (client) => {
      client.key = 'wrong'
      await client.get('/pets')
      await client.send('OPTIONS', '/pets')
    },
  ],
  [
    'a new key after three attempts with one',
    'creates.same-key',
    failing({ cut: 'after', times: 2 }, add('a'), add('a'), add('b')),
  ],
  ['a new key a while later', 'creates.same-key', failing({ cut: 'after' }, add('a'), wait(60_000), add('b'))],
  ['a new key after 503, which did nothing', 'creates.same-key', failing({ status: 503 }, add('a'), add('b'))],
  ['a keyless create that is not repeated after 500', 'retries.temporary', failing({ status: 500 }, keyless)],
  [
    'a keyless create that is not repeated after an unknown code',
    'unknown.code',
    failing({ status: 500, unknown: true }, keyless),
  ],
  [
    'two pets of one name, the second while the first waits',
    'waits.retry-after',
    failing({ status: 503, retryAfter: 1 }, add('one'), wait(100), add('two'), wait(1_000), add('one')),
  ],
]
const UNSEEN: typeof ACCUSED = [
  ['rounding as JavaScript prints it', 'values.exact', adding('9223372036854776000')],
  ['rounding to the next double', 'values.exact', adding('9223372036854775808')],
  ['rounding as Python prints it', 'values.exact', adding('9.223372036854776e+18')],
  ['rounding to 15 digits', 'values.exact', adding('9.22337203685478e+18')],
  ['rounding to 6 digits', 'values.exact', adding('9.22337e+18')],
  ['a client that dies of an unknown field', 'unknown.field', failing({ unknown: true }, list)],
  ['a keyless create again after 500', 'creates.keyless', failing({ status: 500 }, keyless, keyless)],
  ['a keyless create again after 504', 'creates.keyless', failing({ status: 504 }, keyless, keyless)],
  ['a client that knows no pages', 'pages.all', list],
  ['another key at once after a lost answer', 'creates.same-key', failing({ cut: 'after' }, add('a'), add('b'))],
  [
    'another key 11 s after a lost answer',
    'creates.same-key',
    failing({ cut: 'after' }, add('a'), wait(11_000), add('b')),
  ],
  ['a lost create that never comes again', 'retries.lost', failing({ cut: 'after' }, add('a'), wait(60_000), add('b'))],
  [
    'a create after 500 that never comes again',
    'retries.temporary',
    failing({ status: 500 }, add('a'), wait(60_000), add('b')),
  ],
  [
    'another key after a lost answer, with the members in another order',
    'creates.same-key',
    failing({ cut: 'after' }, add('a'), (client) => client.add('b', '{"categoryId":7,"name":"Rex"}')),
  ],
  [
    'fields that are unknown, asked for again and again',
    'unknown.field',
    failing({ unknown: true, times: 3 }, list, wait(100), list, wait(200), list, wait(400), list),
  ],
  ['retries without a pause', 'waits.pause', failing({ status: 500, times: 2 }, list, list, list)],
  [
    'polling a create that is refused',
    'retries.refused',
    inTurn(
      (client) => client.add('x', '{}'),
      wait(2_000),
      (client) => client.add('x', '{}'),
    ),
  ],
]

const lessonOf = async (id: string, script: Script) => {
  let lesson: unknown
  await withClient(service, async (client, practice) => {
    await script(client)
    lesson = practice.report().lessons.find((one) => one.id === id)
  })
  return lesson
}

test.each(ACCUSED)('%s: nobody misses %s', async (_, id, script) => {
  expect(await lessonOf(id, script)).toMatchObject({ id, outcome: expect.stringMatching(/^(?:kept|unknown)$/) })
})

test.each(UNSEEN)('%s misses %s, and is advised', async (_, id, script) => {
  expect(await lessonOf(id, script)).toMatchObject({ id, outcome: 'missed', advice: LESSONS[id]?.advice })
})

test('a fault that could change nothing is for the next request', () =>
  withClient(service, async (client) => {
    client.fail({ unknown: true })
    const [sold, pets] = [await client.get('/pets?status=sold'), await client.get('/pets')]
    expect([`${sold?.body}`, `${pets?.body}`.includes('"unknown"')]).toEqual(['[]', true])
  }))

test('the report says when it was cut off', () =>
  withClient(service, async (client, practice) => {
    await client.get('/pets')
    expect(practice.report()).toMatchObject({ unrecorded: 0 })
    expect(reportOf({ exchanges: [], unrecorded: 7 }, 0)).toMatchObject({ unrecorded: 7, requests: [] })
  }))

test('each advice ends with a page that there is', async () => {
  for (const { advice } of Object.values(LESSONS)) {
    const [, path = '', anchor = ''] = / See (docs\/\w+\.md)#?([\w-]*)\.$/.exec(advice) ?? []
    const page = await Bun.file(join(import.meta.dir, '../../..', path)).text()
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, one = '']) => one.toLowerCase().replace(/[^\w -]/g, ''))
    expect(['', ...headings.map((one) => one.replaceAll(' ', '-'))]).toContain(anchor)
  }
})
