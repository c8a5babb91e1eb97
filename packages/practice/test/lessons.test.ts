// Each lesson of practice: a client that keeps it and one that misses it, through the proxy, byte by byte. Time is the test's.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Service, startService } from '../../../test/support/service.ts'
import type { Fault } from '../../testing/testing.ts'
import { headerOf, type Message, MessageReader } from '../src/messages.ts'
import { Practice } from '../src/practice.ts'
import { startProxy } from '../src/proxy.ts'
import { LESSONS } from '../src/report.ts'

const REX = '{"name":"Rex","categoryId":7}'
const MAX = '{"name":"Max","categoryId":7}'
const BIG = '9007199254740993'

let service: Service
beforeAll(async () => {
  service = await startService()
  for (let n = 0; n < 3; n++) await service.post(REX)
})
afterAll(() => service.stop())

type Headers = Record<string, string>

/** A client that does what it is told, and nothing by itself. */
class Client {
  private socket: Socket | undefined
  private answers: MessageReader | undefined
  at = 0
  key = service.key
  constructor(
    readonly url: URL,
    readonly practice: Practice,
  ) {}

  fail(fault: Fault): void {
    this.practice.fail(fault)
  }

  wait(ms: number): void {
    this.at += ms
  }

  /** On the connection that is there. Without an answer, when it is closed. */
  async send(method: string, path: string, headers: Headers = {}, body = ''): Promise<Message | undefined> {
    if (!this.socket || this.socket.destroyed) {
      this.socket = connect(Number(this.url.port), this.url.hostname).on('error', () => undefined)
      this.answers = new MessageReader(this.socket)
    }
    const length = body === '' ? {} : { 'Content-Length': String(body.length) }
    const sent = { Host: 'localhost', Authorization: `Bearer ${this.key}`, ...length, ...headers }
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`${method} /v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    const answer = await this.answers?.response((start) => / (?:204|304) /.test(start)).catch(() => undefined)
    if (!answer) await this.close()
    while (this.practice.report().requests.at(-1)?.answer === 'waiting') await Bun.sleep(0)
    return answer
  }

  get(path: string, headers: Headers = {}) {
    return this.send('GET', path, headers)
  }

  add(key: string | undefined, pet = REX) {
    return this.send('POST', '/pets', key === undefined ? {} : { 'Idempotency-Key': key }, pet)
  }

  /** Resolves when the service has heard of it. */
  async close(): Promise<void> {
    const { socket } = this
    this.socket = undefined
    if (!socket || socket.destroyed) return
    socket.destroy()
    await once(socket, 'close')
  }
}

type Script = (client: Client) => Promise<unknown>
/** What keeps the lesson, and what misses it. */
const ROWS: Record<string, [kept: Script, missed: Script]> = {
  'retries.temporary': [
    async (client) => {
      client.fail({ status: 503 })
      await client.get('/pets')
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ status: 503 })
      await client.get('/pets')
    },
  ],
  'retries.lost': [
    async (client) => {
      client.fail({ cut: 'after' })
      await client.add('lost')
      await client.add('lost')
    },
    async (client) => {
      client.fail({ cut: 'before' })
      await client.get('/pets')
      await client.get('/store/orders')
    },
  ],
  'retries.truncated': [
    async (client) => {
      client.fail({ truncate: 5 })
      await client.get('/pets')
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ truncate: 5 })
      await client.get('/pets')
    },
  ],
  'retries.refused': [
    (client) => client.add(undefined, '{}'),
    async (client) => {
      await client.add(undefined, '{}')
      await client.add(undefined, '{}')
    },
  ],
  'retries.unauthorized': [
    async (client) => {
      client.key = 'wrong'
      await client.get('/pets')
      client.key = service.key
      await client.get('/pets')
    },
    async (client) => {
      client.key = 'wrong'
      await client.get('/pets')
      await client.get('/store/orders')
    },
  ],
  'creates.key': [(client) => client.add('keyed'), (client) => client.add(undefined)],
  'creates.same-key': [
    async (client) => {
      client.fail({ status: 503 })
      await client.add('same')
      await client.add('same')
    },
    async (client) => {
      client.fail({ cut: 'after' })
      await client.add('first')
      await client.add('second')
    },
  ],
  'creates.new-key': [
    async (client) => {
      await client.add('rex')
      await client.add('max', MAX)
    },
    async (client) => {
      await client.add('both')
      await client.add('both', MAX)
    },
  ],
  'creates.keyless': [
    async (client) => {
      client.fail({ cut: 'after' })
      await client.add(undefined)
    },
    async (client) => {
      client.fail({ cut: 'after' })
      await client.add(undefined)
      await client.add(undefined)
    },
  ],
  'waits.retry-after': [
    async (client) => {
      client.fail({ status: 503, retryAfter: 3 })
      await client.get('/pets')
      client.wait(3_000)
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ status: 503, retryAfter: 3 })
      await client.get('/pets')
      client.wait(2_000)
      await client.get('/pets')
    },
  ],
  'waits.quiet': [
    async (client) => {
      client.fail({ code: 'rate_limited', retryAfter: 1 })
      await client.get('/pets')
      client.wait(1_000)
      await client.get('/store/orders')
    },
    async (client) => {
      client.fail({ code: 'rate_limited', retryAfter: 1 })
      await client.get('/pets')
      await client.get('/store/orders')
    },
  ],
  'waits.pause': [
    async (client) => {
      client.fail({ status: 500 })
      await client.get('/pets')
      client.wait(100)
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ status: 500 })
      await client.get('/pets')
      await client.get('/pets')
    },
  ],
  'waits.longer': [pausing(100, 200), pausing(300, 100)],
  'waits.patience': [
    async (client) => {
      client.fail({ latencyMs: 60_000 })
      const sent = client.get('/pets')
      while (client.practice.report().requests.length === 0) await Bun.sleep(1)
      client.wait(10_000)
      await client.close()
      await sent
    },
    async (client) => {
      client.fail({ latencyMs: 50 })
      const sent = client.get('/pets')
      while (client.practice.report().requests.length === 0) await Bun.sleep(1)
      client.wait(31_000)
      await sent
    },
  ],
  'connections.shared': [
    async (client) => {
      await client.get('/pets')
      await client.get('/pets')
    },
    async (client) => {
      for (let n = 0; n < 4; n++) {
        await client.get('/pets')
        await client.close()
      }
    },
  ],
  'connections.closed': [
    async (client) => {
      await client.get('/pets')
      client.wait(10_000)
      await client.close()
    },
    async (client) => {
      await client.get('/pets')
      client.wait(61_000)
    },
  ],
  'pages.all': [
    async (client) => {
      for (let path: string | undefined = '/pets?limit=2'; path; ) path = nextOf(await client.get(path))
    },
    (client) => client.get('/pets?limit=2'),
  ],
  'pages.cursor': [
    async (client) => client.get(nextOf(await client.get('/pets?limit=1')) ?? ''),
    async (client) => {
      await client.get('/pets?limit=1')
      await client.get('/pets?limit=1&page=2')
    },
  ],
  'pages.filter': [
    async (client) => client.get(nextOf(await client.get('/pets?limit=1&status=available')) ?? ''),
    async (client) =>
      client.get((nextOf(await client.get('/pets?limit=1&status=available')) ?? '').replace('available', 'sold')),
  ],
  'events.next': [
    async (client) => {
      const second = await client.get(nextOf(await client.get('/store/events?limit=1')) ?? '')
      client.fail({ code: 'cursor_expired' })
      await client.get(nextOf(second) ?? '')
      await client.get('/store/events')
    },
    async (client) => {
      await client.get('/store/events?limit=1')
      await client.get('/store/events?limit=1')
    },
  ],
  'events.wait': [
    async (client) => {
      const next = nextOf(await client.get('/store/events?from=now')) ?? ''
      client.wait(1_000)
      await client.get(next)
    },
    async (client) => client.get(nextOf(await client.get('/store/events?from=now')) ?? ''),
  ],
  'events.anew': [
    async (client) => {
      client.fail({ code: 'cursor_expired' })
      await client.get('/store/events?cursor=old')
      await client.get('/store/events')
    },
    async (client) => {
      client.fail({ code: 'cursor_expired' })
      await client.get('/store/events?cursor=old')
      await client.get('/store/events?cursor=old')
    },
  ],
  'values.exact': [
    async (client) => {
      await client.add('big', `{"name":"Big","categoryId":${BIG}}`)
      await client.get(`/pets?categoryId=${BIG}`)
    },
    async (client) => {
      await client.add('big', `{"name":"Big","categoryId":${BIG}}`)
      await client.get('/pets?categoryId=9007199254740992')
    },
  ],
  'values.numbers': [
    (client) => client.add(undefined),
    (client) => client.add(undefined, '{"name":"Rex","categoryId":"7"}'),
  ],
  'unknown.field': [
    async (client) => {
      client.fail({ unknown: true })
      await client.get('/pets?limit=1')
      await client.get('/store/orders')
    },
    async (client) => {
      client.fail({ unknown: true })
      await client.get('/pets?limit=1')
      await client.get('/pets?limit=1')
    },
  ],
  'unknown.type': [
    async (client) => {
      client.fail({ unknown: true })
      await client.get(nextOf(await client.get('/store/events?limit=1')) ?? '')
    },
    async (client) => {
      client.fail({ unknown: true })
      await client.get('/store/events?limit=1')
      await client.get('/store/events?limit=1')
    },
  ],
  'unknown.code': [
    async (client) => {
      client.fail({ status: 503, unknown: true })
      await client.get('/pets')
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ status: 503, unknown: true })
      await client.get('/pets')
    },
  ],
  'etags.reads': [
    async (client) => {
      const tag = headerOf((await client.get('/pets'))?.headers ?? [], 'ETag') ?? ''
      await client.get('/pets', { 'If-None-Match': tag })
    },
    async (client) => {
      await client.get('/pets')
      await client.get('/pets')
    },
  ],
  'etags.changes': [
    async (client) => {
      const tag = headerOf((await client.get('/pets/1'))?.headers ?? [], 'ETag') ?? ''
      await client.send('PATCH', '/pets/1', { 'If-Match': tag }, '{"name":"Rex"}')
    },
    async (client) => {
      await client.get('/pets/1')
      await client.send('PATCH', '/pets/1', {}, '{"name":"Rex"}')
    },
  ],
  'etags.refused': [
    async (client) => {
      await client.send('PATCH', '/pets/1', { 'If-Match': '"no"' }, '{"name":"Luna"}')
      const tag = headerOf((await client.get('/pets/1'))?.headers ?? [], 'ETag') ?? ''
      await client.send('PATCH', '/pets/1', { 'If-Match': tag }, '{"name":"Max"}')
    },
    async (client) => {
      await client.send('PATCH', '/pets/1', { 'If-Match': '"no"' }, '{"name":"Bo"}')
      await client.send('PATCH', '/pets/1', { 'If-Match': '"no"' }, '{"name":"Bo"}')
    },
  ],
  'deprecated.left': [
    async (client) => {
      await client.get('/pets/1')
      await client.get('/pets')
    },
    async (client) => {
      await client.get('/pets/1')
      await client.get('/pets/2')
    },
  ],
  'deprecated.removed': [
    async (client) => {
      client.fail({ code: 'operation_removed' })
      await client.get('/pets/1')
      await client.get('/pets')
    },
    async (client) => {
      client.fail({ code: 'operation_removed' })
      await client.get('/pets/1')
      await client.get('/pets/2')
    },
  ],
  'key.header': [(client) => client.get('/pets'), (client) => client.get(`/pets?key=${client.key}`)],
}

function pausing(...pauses: number[]): Script {
  return async (client) => {
    client.fail({ status: 500, times: pauses.length })
    await client.get('/pets')
    for (const ms of pauses) {
      client.wait(ms)
      await client.get('/pets')
    }
  }
}

/** Below the base URL. */
function nextOf(answer: Message | undefined): string | undefined {
  return /<\/v1([^>]*)>; rel="next"/.exec(headerOf(answer?.headers ?? [], 'Link') ?? '')?.[1]
}

async function withClient(work: (client: Client, practice: Practice) => Promise<void>): Promise<void> {
  const practice: Practice = new Practice(() => client.at)
  const proxy = await startProxy(service.url, practice.behave)
  const client = new Client(new URL(proxy.url), practice)
  await work(client, practice).finally(proxy.stop)
}

test('each lesson has a client that keeps it and one that misses it', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(LESSONS).sort())
})

test('docs/practice.md explains each lesson', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/practice.md')).text()
  const rows = Object.entries(LESSONS).map(([id, { sentence }]) => `| \`${id}\` | ${sentence} |\n`)
  expect(page).toContain(rows.join(''))
})

test('of a client that was not seen nothing is known', () =>
  withClient(async (_client, practice) => {
    const { requests, lessons } = practice.report()
    expect(requests).toEqual([])
    expect(lessons.filter(({ outcome, evidence }) => outcome !== 'unknown' || evidence.length > 0)).toEqual([])
  }))

test('that a correction without If-Match is sent again is not asked for, and with it is', async () => {
  for (const [headers, outcome] of [
    [{}, 'unknown'],
    [{ 'If-Match': '"tag"' }, 'missed'],
  ] as const) {
    for (const [id, fault] of [
      ['retries.temporary', { status: 503 }],
      ['retries.lost', { cut: 'after' }],
      ['retries.truncated', { truncate: 5 }],
      ['unknown.code', { status: 503, unknown: true }],
    ] as const) {
      await withClient(async (client, practice) => {
        client.fail(fault)
        await client.send('PATCH', '/pets/1', headers, '{"name":"Rex"}')
        const { lessons } = practice.report()
        expect(lessons.find((one) => one.id === id)).toMatchObject({ id, outcome })
        expect(lessons.find((one) => one.id === 'creates.keyless')).toMatchObject({ outcome: 'unknown' })
      })
    }
  }
})

describe.each(Object.entries(ROWS))('%s', (id, [kept, missed]) => {
  test.each([
    ['kept', kept],
    ['missed', missed],
  ] as const)('%s', (outcome, script) =>
    withClient(async (client, practice) => {
      await script(client)
      const lesson = () => practice.report().lessons.find((one) => one.id === id)
      // The proxy may not have heard yet that the client has closed.
      while (lesson()?.outcome === 'unknown') await Bun.sleep(1)
      expect(lesson()).toMatchObject({ outcome, evidence: expect.arrayContaining([expect.any(Number)]) })
    }),
  )
})
