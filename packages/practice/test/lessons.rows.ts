// Each lesson, by a client that keeps it and one that misses it.

import { until } from '../../../test/support/until.ts'
import { headerOf } from '../src/messages.ts'
import { nextOf, type Script } from './scripted-client.ts'

const MAX = '{"name":"Max","categoryId":7}'
const BIG = '9007199254740993'

/** What keeps the lesson, and what misses it. */
export const ROWS: Record<string, [kept: Script, missed: Script]> = {
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
      client.key = client.rightKey
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
  'waits.longer': [pausing(100, 200, 30, 400), pausing(300, 100, 100, 100)],
  'waits.patience': [
    async (client) => {
      client.fail({ latencyMs: 60_000 })
      const sent = client.get('/pets')
      await until('the request is recorded', () => client.practice.report().requests.length !== 0, { everyMs: 1 })
      client.wait(10_000)
      await client.close()
      await sent
    },
    async (client) => {
      client.fail({ latencyMs: 50 })
      const sent = client.get('/pets')
      await until('the request is recorded', () => client.practice.report().requests.length !== 0, { everyMs: 1 })
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
    (client) => client.get('/pets'),
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
