// The forwarder, mostly as a process, with receivers that fail: it loses no event, keeps the order, and repeats
// only unacknowledged events. The library of Standard Webhooks checks the signatures.

import { beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { atEndOfFile, temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { expectReleased, releasedNames } from '../../../test/support/released.ts'
import { randomOf } from '../../../test/support/search-rules.ts'
import { startService } from '../../../test/support/service.ts'
import { hurryPauses } from '../../../test/support/timers.ts'
import { until } from '../../../test/support/until.ts'
import { type ForwardOptions, forward, type Hook, SECRET, startHook, taken } from '../../../test/support/webhook.ts'
import { Sender } from '../../client/src/sender.ts'
import { decodeEventCursor, encodeEventCursor } from '../../service/src/domain/events.ts'
import { createLog } from '../../service/src/observability/log.ts'
import { Forwarder, Progress } from '../src/forward/forwarder.ts'
import { TIMEOUT_MS } from '../src/forward/receiver.ts'
import { SavedCursor } from '../src/forward/saved-cursor.ts'

const PETS = 40
const service = await startService({ now: Date.now })
/** The text of all events in the feed. */
let feed: string[]
let ids: number[]

beforeAll(async () => {
  for (const name of ['Rex', 'Zoë "the\\u2028 cat\\"\\n', '🐶']) {
    await service.post(`{"name":"${name.replace('"the', '\\"the')}","categoryId":9223372036854775807}`)
  }
  for (let count = 3; count < PETS; count++) await service.post('{"name":"Rex","categoryId":7}')
  await service.request('POST', '/store/orders', { body: '{"petId":1,"reference":"till 3"}' })
  await readFeed()
})

async function readFeed(): Promise<void> {
  feed = (await service.get('/store/events?limit=100')).text.slice(1, -1).split(/,(?=\{"id":\d+,"type")/)
  ids = feed.map((text) => JSON.parse(text).id)
}

async function addPet(): Promise<void> {
  await service.post('{"name":"Luna","categoryId":7}')
  await readFeed()
}

const start = (to: string, options: Partial<ForwardOptions> = {}) =>
  forward({ to, url: service.url, key: service.key, ...options })

/** Runs a forwarder in this process. */
function startHere(
  to: string,
  { state = join(mkdtempSync(temporaryFile('state-')), 'forwarded'), timeoutMs = TIMEOUT_MS } = {},
) {
  const lines: string[] = []
  const log = createLog('info', { destination: { write: (line) => lines.push(line) } })
  const receiver = { url: new URL(to), secrets: [Buffer.alloc(32, 7)], timeoutMs }
  const stop = new AbortController()
  const forwarder = new Forwarder(receiver, SavedCursor.open(state), new Progress(log), log, stop.signal, stop.signal)
  const ended = forwarder.run(new Sender({ baseUrl: service.url, apiKey: service.key }), undefined)
  return {
    lines,
    async stop() {
      stop.abort()
      await ended
    },
  }
}

/** Starts a receiver that responds to its n-th request with `answer(n)`, and ends the connection after the first `cuts`. */
async function startReceiver(answer: (n: number) => string, cuts = 0) {
  const seen = { ids: [] as number[], connections: 0 }
  const server = createServer((socket) => {
    seen.connections++
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      const [, id] = /^webhook-id: evt_\d+_(\d+)/im.exec(String(bytes)) ?? []
      if (id === undefined) return
      const n = seen.ids.push(Number(id)) - 1
      socket.write(answer(n))
      if (n < cuts) socket.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`, seen }
}

const status = (status: number, headers: Record<string, string> = {}) => new Response('No.', { status, headers })

test('posts each event once, in order, signed and unchanged', async () => {
  const hook = await startHook(taken)
  const first = start(hook.url)
  await hook.received(ids.length)
  expect(hook.all.map(({ body }) => body)).toEqual(feed)
  const { epoch } = decodeEventCursor(first.cursor())
  for (const { id, headers } of hook.all) {
    expect(headers['webhook-id']).toBe(`evt_${epoch}_${id}`)
    expect(headers['content-type']).toBe('application/json')
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  }
  // Headers that every HTTP client sends are not ours.
  const common = ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent']
  const own = Object.keys(hook.all[0]?.headers ?? {}).filter((name) => !common.includes(name))
  expectReleased('webhook headers', own)
  expect(own.sort()).toEqual(releasedNames()['webhook headers'])
  const { status, stderr } = await first.stop()
  expect(status).toBe(0)
  expect(stderr).toMatch(
    new RegExp(`"events":${ids.length},"last":${ids.at(-1)},"lagSeconds":[\\d.]+,"msg":"events forwarded"`),
  )
  // The second process continues after the first.
  const second = start(hook.url, { state: first.state })
  await addPet()
  await hook.received(ids.length)
  expect(hook.all.map(({ body }) => body)).toEqual(feed)
  await second.stop()
})

test('petstore events forward signs with each of two secrets during a rotation', async () => {
  const next = (await run(['events', 'secret'])).stdout.trim()
  const hook = await startHook(taken)
  const forwarded = start(hook.url, { secrets: `${next}\n\n${SECRET}` })
  await hook.received(1)
  const { headers, body } = hook.all[0] as Hook['all'][number]
  for (const secret of [next, SECRET]) new Webhook(secret).verify(body, headers)
  expect(() => new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(body, headers)).toThrow()
  await forwarded.stop()
})

test('petstore events forward saves its cursor before it sends the next event', async () => {
  const state = join(dirname(temporaryFile('x')), 'forwarded')
  const cursors: (number | undefined)[] = []
  const hook = await startHook(async () => {
    const text = existsSync(state) ? await Bun.file(state).text() : undefined
    cursors.push(text === undefined ? undefined : Number(decodeEventCursor(text.trim()).id))
    return taken()
  })
  const forwarded = startHere(hook.url, { state })
  await until('the hook has read the state at each event', () => cursors.length >= ids.length)
  await forwarded.stop()
  expect(cursors).toEqual([undefined, ...ids.slice(0, -1)])
})

test('petstore events forward repeats an event until it is accepted, after 500, 429 with Retry-After and redirects', async () => {
  const elsewhere = await startHook(taken)
  const limited = () => status(429, { 'Retry-After': '3' })
  const answers = [() => status(500), limited, () => status(302, { Location: elsewhere.url })]
  const hook = await startHook((_received, n) => answers[n]?.() ?? taken())
  const forwarded = startHere(hook.url)
  await hook.received(answers.length + ids.length)
  await forwarded.stop()
  const log = forwarded.lines.join('')
  expect(hook.ids()).toEqual([...answers.map(() => ids[0] as number), ...ids])
  expect(elsewhere.all).toEqual([])
  const [first, second, third, fourth] = hook.all as Required<Hook['all']>
  const pauseMs = (one?: { at: number }, other?: { at: number }) => (other?.at ?? 0) - (one?.at ?? 0)
  expect(pauseMs(first, second)).toBeGreaterThanOrEqual(990)
  expect(pauseMs(second, third)).toBeGreaterThanOrEqual(2_990)
  expect(pauseMs(third, fourth)).toBeGreaterThanOrEqual(3_990)
  // One message id, and a new signature for each attempt.
  const attempts = hook.all.slice(0, answers.length)
  expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(attempts.map(({ headers }) => headers['webhook-signature'])).size).toBe(answers.length)
  expect(log).toMatch(/"reason":"status 500","attempt":1,"retrySeconds":1[\d.]*,"lagSeconds":[\d.]+/)
  expect(log).not.toContain(SECRET)
})

test('petstore events forward waits at most an hour for Retry-After', async () => {
  const hook = await startHook(() => status(503, { 'Retry-After': '100000' }))
  const forwarded = startHere(hook.url)
  await until('an attempt has failed', () => forwarded.lines.length > 0)
  await forwarded.stop()
  expect(JSON.parse(forwarded.lines[0] ?? '').retrySeconds).toBe(3_600)
})

test('petstore events forward pauses for twice as long after each failure, but not for more than a minute', async () => {
  const hurried = hurryPauses()
  const hook = await startHook((_received, n) => (n < 9 ? status(500) : taken()))
  const forwarded = startHere(hook.url)
  await hook.received(10)
  await forwarded.stop()
  hurried.mockRestore()
  for (const [n, line] of forwarded.lines.slice(0, 9).entries()) {
    const least = Math.min(60, 2 ** n)
    expect(JSON.parse(line).retrySeconds).toBeWithin(least, 1.25 * least + 0.01)
  }
})

test('petstore events forward repeats an event if the receiver closes the connection', async () => {
  // It ends before the response, and in the middle of its head.
  const { url, seen } = await startReceiver((n) => ['', 'HTTP/1.1 200 O'][n] ?? 'HTTP/1.1 204 No Content\r\n\r\n', 2)
  const forwarded = startHere(url)
  await until('seven requests were received', () => seen.ids.length >= 7)
  await forwarded.stop()
  expect(seen.ids.slice(0, 7)).toEqual([0, 0, 0, 1, 2, 3, 4].map((index) => ids[index] as number))
})

test.each([
  ['without its body', 'Content-Length: 2\r\n\r\n', false],
  ['with an endless body', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n', false],
  ['with a body', 'Content-Length: 2\r\n\r\nok', true],
])('petstore events forward sends the next event after a status %s', async (_what, answer, keepsConnection) => {
  const { url, seen } = await startReceiver(() => `HTTP/1.1 200 OK\r\n${answer}`)
  const begun = performance.now()
  const forwarded = startHere(url)
  await until('ten events were received', () => seen.ids.length >= 10)
  // A single event took 30 s, the timeout, before this was fixed.
  expect(performance.now() - begun).toBeLessThan(15_000)
  expect(seen.connections === 1).toBe(keepsConnection)
  await forwarded.stop()
})

test('petstore events forward stops at 410, and repeats the event at the next start', async () => {
  const hook = await startHook((_received, n) => (n === 2 ? status(410) : taken()))
  const { state, ended } = start(hook.url)
  expect(await ended()).toEqual({ status: 1, stderr: expect.stringContaining(`answered 410 to event ${ids[2]}`) })
  const again = start(hook.url, { state })
  await hook.received(5)
  await again.stop()
  expect(hook.ids().slice(0, 5)).toEqual([0, 1, 2, 2, 3].map((index) => ids[index] as number))
})

test('petstore events forward loses no event, keeps the order and repeats only unacknowledged events if killed at any time', async () => {
  const state = join(dirname(temporaryFile('x')), 'forwarded')
  const random = randomOf(1)
  const hook = await startHook(async () => {
    await Bun.sleep(random() * 20)
    return taken()
  })
  let kills = 0
  for (; kills < 4; kills++) {
    const before = hook.all.length
    const forwarded = start(hook.url, { state, args: ['--from', 'beginning'] })
    await hook.received(before + 1)
    await Bun.sleep(random() * 40)
    await forwarded.stop('SIGKILL')
    if (hook.ids().at(-1) === ids.at(-1)) break
  }
  const last = start(hook.url, { state })
  await until('the receiver has the last event', () => hook.ids().at(-1) === ids.at(-1))
  await last.stop()
  const received = hook.ids()
  expect(received.filter((id, index) => id !== received[index - 1])).toEqual(ids)
  expect(received.length - ids.length).toBeLessThanOrEqual(kills + 1)
})

test('petstore events forward repeats an event after a timeout', async () => {
  const hook = await startHook((_received, n) => (n === 1 ? new Promise(() => undefined) : taken()))
  // Long enough that no other response is late on a busy machine.
  const forwarded = startHere(hook.url, { timeoutMs: 3_000 })
  await hook.received(4)
  await forwarded.stop()
  expect(hook.ids().slice(0, 4)).toEqual([0, 1, 1, 2].map((index) => ids[index] as number))
  expect(forwarded.lines[0]).toContain('"reason":"no answer in time"')
})

test('petstore events forward when stopped, waits for the response of the current attempt, or later repeats the event', async () => {
  let answer: (response: Response) => void = () => undefined
  const hook = await startHook((_received, n) =>
    n === 1 || n === 2 ? new Promise<Response>((resolve) => (answer = resolve)) : taken(),
  )
  const stopped = start(hook.url)
  await hook.received(2)
  stopped.kill('SIGTERM')
  await stopped.said(/"(stopping)"/)
  answer(taken())
  expect((await stopped.ended()).status).toBe(0)
  expect(Number(decodeEventCursor(stopped.cursor()).id)).toBe(ids[1] as number)
  const ended = start(hook.url, { state: stopped.state })
  await hook.received(3)
  ended.kill('SIGTERM')
  await ended.said(/"(stopping)"/)
  expect((await ended.stop('SIGINT')).status).toBe(130)
  expect(Number(decodeEventCursor(ended.cursor()).id)).toBe(ids[1] as number)
  const last = start(hook.url, { state: stopped.state })
  await hook.received(ids.length + 1)
  await last.stop()
  expect(hook.ids()).toEqual([...ids.slice(0, 3), ...ids.slice(2)])
})

test('petstore events forward has metrics for the age of the first unaccepted event', async () => {
  let opened = false
  const hook = await startHook((_received, n) => (n < 2 || opened ? taken() : status(500)))
  const metricsOf = async (forwarded: ReturnType<typeof forward>) => {
    const text = await (await fetch(await forwarded.said(/"url":"([^"]+)","msg":"metrics"/))).text()
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    return { taken: value('petstore_forward_events_total'), lag: value('petstore_forward_lag_seconds') }
  }
  const env = { PETSTORE_ADMIN_PORT: '0' }
  const forwarded = start(hook.url, { env })
  await hook.received(3)
  const atOf = (text = '') => (Date.now() - Date.parse(JSON.parse(text).at)) / 1000
  const { taken: some, lag } = await metricsOf(forwarded)
  expect([some, lag]).toEqual([2, expect.closeTo(atOf(feed[2]), -1)])
  expect(lag).toBeGreaterThan(0)
  opened = true
  await until('the lag is 0', async () => (await metricsOf(forwarded)).lag <= 0)
  expect((await metricsOf(forwarded)).taken).toBe(ids.length)
  await forwarded.stop()
  const alone = start(hook.url, { env, url: 'http://127.0.0.1:1/v1' })
  await until('there is a lag', async () => (await metricsOf(alone)).lag !== 0)
  await alone.stop()
})

test('petstore events forward saves its start, even if there are no events yet', async () => {
  const hook = await startHook(taken)
  const first = start(hook.url, { args: ['--from', 'now'] })
  await until('the state file exists', () => existsSync(first.state))
  await first.stop('SIGKILL')
  await addPet()
  const second = start(hook.url, { state: first.state, args: ['--from', 'now'] })
  await hook.received(1)
  await second.stop()
  expect(hook.all[0]?.body).toBe(feed.at(-1))
})

test('petstore events forward stops if its cursor has expired, and explains what to do', async () => {
  const hook = await startHook(taken)
  const other = await startService({ now: Date.now })
  await other.post('{"name":"Rex","categoryId":7}')
  const first = start(hook.url, { url: other.url, key: other.key })
  await hook.received(1)
  await first.stop()
  const { epoch, ...position } = await other.store.findEnd()
  writeFileSync(first.state, encodeEventCursor({ ...position, epoch: epoch + 1n }))
  const again = await start(hook.url, { url: other.url, key: other.key, state: first.state }).ended()
  expect(again).toEqual({ status: 1, stderr: expect.stringContaining('has expired') })
  expect(again.stderr).toContain(`remove ${first.state}, and start again`)
})

test('petstore events forward rejects a state that another process uses, and stops if its key is rejected', async () => {
  const hook = await startHook(taken)
  const state = join(mkdtempSync(temporaryFile('state-')), 'forwarded')
  const both = [0, 1].map(() => start(hook.url, { state }))
  const refused = await Promise.race(both.map((one) => one.ended().then(() => one)))
  const stderr = expect.stringContaining(`Another petstore events forward is using ${state}.`)
  expect(await refused.ended()).toEqual({ status: 1, stderr })
  const first = both.find((one) => one !== refused) as (typeof both)[number]
  await hook.received(ids.length)
  expect(hook.ids()).toEqual(ids)
  await first.stop('SIGKILL')
  const third = start(hook.url, { state })
  await addPet()
  await until('the receiver has the last event', () => hook.ids().at(-1) === ids.at(-1))
  // The event whose response the kill has lost can come twice.
  expect([...new Set(hook.ids())]).toEqual(ids)
  expect((await third.stop()).status).toBe(0)
  const other = await startService({ now: Date.now })
  expect((await start(hook.url, { key: other.key }).ended()).status).toBe(4)
})
