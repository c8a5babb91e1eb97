// Clients that were once judged wrongly: correct clients that missed a lesson, and faulty ones that did not.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService } from '../../../test/support/service.ts'
import { LESSONS, reportOf } from '../src/report.ts'
import {
  add,
  adding,
  close,
  fail,
  get,
  key,
  list,
  next,
  nextOf,
  parallel,
  REX,
  repeated,
  run,
  type Step,
  send,
  wait,
  withClient,
} from './scripted-client.ts'

const service = await startService()
const otherKey = await service.addKey({ name: 'other' })
for (let n = 0; n < 21; n++) await service.post(REX)

const lost = fail({ cut: 'after' })
const lostTwice = fail({ cut: 'after', times: 2 })
const failedWithUnknownCode = fail({ status: 500, unknown: true })
const limited = fail({ code: 'rate_limited', retryAfter: 1 })
const unavailable = fail({ status: 503, retryAfter: 1 })
const unknown = fail({ unknown: true })
const missing = get('/pets/999')
const invalid = add('{', '{}')
const wrong: Step = (client) => Object.assign(client, { key: 'wrong' }).get('/pets')
const withOtherKey = key(otherKey)
const order = (name: string) => send('POST', '/store/orders', { 'Idempotency-Key': `order-${name}` }, '{"petId":1}')
const reordered = add('b', '{"categoryId":7,"name":"Rex"}')
const fields = (times: number) => fail({ unknown: true, times })
const failures = (times: number) => fail({ status: 500, times })
const readOnly = fail({ code: 'read_only_key' })
const waiting = [add('one'), wait(100), add('two'), wait(1_000), add('one')]
const slower = [list, wait(100), list, wait(200), list, wait(400), list]
const feedEnd = get('/store/events?from=now')
const withOnePet: Step = async (client) => {
  await client.get('/store/events?limit=1')
  const path = nextOf(client) ?? ''
  await client.get('/store/events?petId=1&limit=1')
  await client.get(path)
}
const cancelled = send('DELETE', '/store/orders/1')
const MAX = '{"name":"Max","categoryId":7}'
const always = fail({ unknown: true, rate: 1 })

type Row = readonly [description: string, lesson: string, ...steps: Step[]]

const ACCUSED: readonly Row[] = [
  ['429 to one of three simultaneous requests', 'waits.quiet', limited, parallel(list, list, list)],
  ['two simultaneous requests with wrong keys', 'retries.unauthorized', parallel(wrong, wrong)],
  ['the same list twice at the same time', 'etags.reads', parallel(list, list)],
  ['two simultaneous pets with one name', 'creates.same-key', lost, parallel(add('a'), add('b')), add('a'), add('b')],
  ['an unknown field in two simultaneous lists', 'unknown.field', fields(2), parallel(list, list)],
  ['polling while each response has an unknown field', 'unknown.field', always, ...repeated(5, list, wait(300))],
  ['polling every 0.3 s for a missing pet', 'retries.refused', ...repeated(5, missing, wait(300))],
  ['polling while each rejection has an unknown code', 'unknown.code', always, ...repeated(5, missing, wait(300))],
  ['a new order when the pet could be free', 'retries.refused', order('a'), order('b'), wait(1_600), order('c')],
  ['another API key while one is rate limited', 'waits.quiet', limited, list, withOtherKey, list],
  [
    'a rejected request again with another API key',
    'retries.refused',
    readOnly,
    add('kept'),
    withOtherKey,
    add('kept'),
  ],
  ['one Idempotency-Key under two API keys', 'creates.new-key', add('one'), withOtherKey, add('one', MAX)],
  ['reading the events of one pet between two pages of the feed', 'events.next', withOnePet],
  ['reading the events of one pet at the end of the feed', 'events.wait', feedEnd, get('/store/events?petId=1')],
  ['cancelling an order without If-Match', 'etags.changes', order('a'), get('/store/orders/1'), cancelled],
  ['the same list on two connections at the same time', 'unknown.field', unknown, list, close, list],
  ['polling the feed with an early timer', 'events.wait', get('/store/events?from=now'), wait(990), next()],
  ['full jitter: 80, 3, 150 ms', 'waits.pause', failures(3), list, wait(80), list, wait(3), list, wait(150), list],
  ['a reader that stops at the second page', 'pages.all', get('/pets?limit=2'), next()],
  ['an unknown field in an empty list', 'unknown.field', unknown, get('/pets?status=sold')],
  ['a truncation after the end of the body', 'retries.truncated', fail({ truncate: 1e9 }), list],
  ['401, then OPTIONS', 'retries.unauthorized', wrong, send('OPTIONS', '/pets')],
  ['a new key after three attempts', 'creates.same-key', lostTwice, add('a'), add('a'), add('b')],
  ['a new key after 503, which did nothing', 'creates.same-key', unavailable, add('a'), add('b')],
  ['a keyless create not repeated after an unknown code', 'unknown.code', failedWithUnknownCode, add()],
  ['two pets, the second while the first waits', 'waits.retry-after', unavailable, ...waiting],
]
const UNSEEN: readonly Row[] = [
  ['rounding as JavaScript prints it', 'values.exact', ...adding('9223372036854776000')],
  ['rounding as Python prints it', 'values.exact', ...adding('9.223372036854776e+18')],
  ['rounding to 6 digits', 'values.exact', ...adding('9.22337e+18')],
  ['a keyless create again after 504', 'creates.keyless', fail({ status: 504 }), add(), add()],
  ['another key 11 s after a lost response', 'creates.same-key', lost, add('a'), wait(11_000), add('b')],
  ['a lost create that is never repeated', 'retries.lost', lost, add('a'), wait(60_000), add('b')],
  ['another key, with the members in another order', 'creates.same-key', lost, add('a'), reordered],
  ['repeating a request because of unknown fields', 'unknown.field', fields(3), ...slower],
  ['retries without a pause', 'waits.pause', failures(2), list, list, list],
  ['polling a create that is rejected', 'retries.refused', invalid, wait(2_000), invalid],
]

const expectLesson = ([_, id, ...steps]: Row, expected: object) =>
  withClient(service, async (client, practice) => {
    await run(steps, client)
    expect(practice.report().lessons.find((one) => one.id === id)).toMatchObject({ id, ...expected })
  })

/** A PATCH that fails in these ways is only sent again with If-Match. */
const PATCHES = (
  [
    ['retries.temporary', unavailable],
    ['retries.lost', lost],
    ['retries.truncated', fail({ truncate: 5 })],
    ['unknown.code', fail({ status: 503, unknown: true })],
  ] as const
).map(([id, failing]) => (headers: Record<string, string>): Row => {
  return ['a PATCH', id, failing, send('PATCH', '/pets/1', headers, '{"name":"Rex"}')]
})

test.each(PATCHES)('a failed PATCH is only expected again if it has If-Match: %#', async (row) => {
  await expectLesson(row({}), { outcome: 'unknown' })
  await expectLesson(row({ 'If-Match': '"tag"' }), { outcome: 'missed' })
})

test.each(ACCUSED)('%s does not miss %s', (...row) =>
  expectLesson(row, { outcome: expect.stringMatching(/^(?:kept|unknown)$/) }),
)

test.each(UNSEEN)('%s misses %s, with advice', (...row) =>
  expectLesson(row, { outcome: 'missed', advice: LESSONS[row[1]]?.advice }),
)

// Both of the last choose the second request. No pet is sold.
test.each([{ times: 1 }, { every: 2 }, { rate: 0.3, seed: 8 }])(
  '%j that changes nothing applies to the next',
  (chosen) =>
    withClient(service, async (client, practice) => {
      practice.fail({ ...chosen, unknown: true })
      if (!('times' in chosen)) await client.get('/pets')
      const bodies: string[] = []
      for (const path of ['/pets?status=sold', '/pets']) bodies.push(`${(await client.get(path))?.body}`)
      expect(bodies.map((body) => body.includes('"unknown"'))).toEqual([false, true])
    }),
)

test('requests with a key in another case of Bearer are left out', () =>
  withClient(service, async (client, practice) => {
    practice.leaveOut(client.key)
    await client.get('/pets', { Authorization: `bearer ${client.key}` })
    expect(practice.report().requests).toEqual([])
  }))

test('the report has the number of unrecorded requests', () =>
  withClient(service, async (client, practice) => {
    await client.get('/pets')
    expect(practice.report()).toMatchObject({ unrecorded: 0 })
    expect(reportOf({ exchanges: [], unrecorded: 7 }, 0)).toMatchObject({ unrecorded: 7, requests: [] })
  }))

test('each advice links to an existing heading', async () => {
  for (const { advice } of Object.values(LESSONS)) {
    const [, path = '', anchor = ''] = / See (docs\/\w+\.md)#?([\w-]*)\.$/.exec(advice) ?? []
    const page = await Bun.file(join(import.meta.dir, '../../..', path)).text()
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, one = '']) => one.toLowerCase().replace(/[^\w -]/g, ''))
    expect(['', ...headings.map((one) => one.replaceAll(' ', '-'))]).toContain(anchor)
  }
})
