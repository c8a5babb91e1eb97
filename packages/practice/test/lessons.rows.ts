// A client that keeps each lesson, and one that misses it.

import {
  add,
  close,
  everyNext,
  fail,
  get,
  key,
  list,
  meanwhile,
  next,
  type Step,
  send,
  tagged,
  wait,
} from './scripted-client.ts'

const MAX = '{"name":"Max","categoryId":7}'
const NEW_NAME = '{"name":"Rex"}'
const rightKey: Step = (client) => key(client.rightKey)(client)
const orders = get('/store/orders')
const pet = get('/pets/1')
const feed = get('/store/events?limit=1')
const fromNow = get('/store/events?from=now')
const oldCursor = get('/store/events?cursor=old')
const big = add('big', '{"name":"Big","categoryId":9007199254740993}')
const inCategory = (id: string) => get(`/pets?categoryId=${id}`)
const onePet = get('/pets?limit=1')
const slow = (latencyMs: number) => fail({ latencyMs })
const correction = (body: string) => tagged('PATCH', '/pets/1', 'If-Match', body)
const invalid = add(undefined, '{}')
const wrongTag = send('PATCH', '/pets/1', { 'If-Match': '"no"' }, '{"name":"Luna"}')
const lost = fail({ cut: 'after' })
const unavailable = fail({ status: 503 })
const later = fail({ status: 503, retryAfter: 3 })
const failedOnce = fail({ status: 500 })
const limited = fail({ code: 'rate_limited', retryAfter: 1 })
const truncated = fail({ truncate: 5 })
const unknown = fail({ unknown: true })
const unknownCode = fail({ status: 503, unknown: true })
const expired = fail({ code: 'cursor_expired' })
const removed = fail({ code: 'operation_removed' })

const clients = (kept: Step[], missed: Step[]) => ({ kept, missed })

export const ROWS: Record<string, ReturnType<typeof clients>> = {
  'retries.temporary': clients([unavailable, list, list], [unavailable, list]),
  'retries.lost': clients([lost, add('lost'), add('lost')], [fail({ cut: 'before' }), list, orders]),
  'retries.truncated': clients([truncated, list, list], [truncated, list]),
  'retries.refused': clients([invalid], [invalid, invalid]),
  'retries.unauthorized': clients([key('wrong'), list, rightKey, list], [key('wrong'), list, orders]),
  'creates.key': clients([add('keyed')], [add()]),
  'creates.same-key': clients([unavailable, add('same'), add('same')], [lost, add('first'), add('second')]),
  'creates.new-key': clients([add('rex'), add('max', MAX)], [add('both'), add('both', MAX)]),
  'creates.keyless': clients([lost, add()], [lost, add(), add()]),
  'waits.retry-after': clients([later, list, wait(3_000), list], [later, list, wait(2_000), list]),
  'waits.quiet': clients([limited, list, wait(1_000), orders], [limited, list, orders]),
  'waits.pause': clients([failedOnce, list, wait(100), list], [failedOnce, list, list]),
  'waits.patience': clients([slow(60_000), meanwhile(wait(10_000), close)], [slow(50), meanwhile(wait(31_000))]),
  'pages.all': clients([get('/pets?limit=2'), everyNext], [list]),
  'pages.cursor': clients([onePet, next()], [onePet, get('/pets?limit=1&page=2')]),
  'pages.filter': clients(
    [get('/pets?limit=1&status=available'), next()],
    [get('/pets?limit=1&status=available'), next((path) => path.replace('available', 'sold'))],
  ),
  'events.next': clients([feed, next(), expired, next(), get('/store/events')], [feed, feed]),
  'events.wait': clients([fromNow, wait(1_000), next()], [fromNow, next()]),
  'events.anew': clients([expired, oldCursor, get('/store/events')], [expired, oldCursor, oldCursor]),
  'values.exact': clients([big, inCategory('9007199254740993')], [big, inCategory('9007199254740992')]),
  'values.numbers': clients([add()], [add(undefined, '{"name":"Rex","categoryId":"7"}')]),
  'unknown.field': clients([unknown, onePet, orders], [unknown, onePet, onePet]),
  'unknown.type': clients([unknown, feed, next()], [unknown, feed, feed]),
  'unknown.code': clients([unknownCode, list, list], [unknownCode, list]),
  'etags.reads': clients([list, tagged('GET', '/pets', 'If-None-Match')], [list, list]),
  'etags.changes': clients([pet, correction(NEW_NAME)], [pet, send('PATCH', '/pets/1', {}, NEW_NAME)]),
  'etags.refused': clients([wrongTag, pet, correction('{"name":"Max"}')], [wrongTag, wrongTag]),
  'deprecated.left': clients([pet, list], [pet, get('/pets/2')]),
  'deprecated.removed': clients([removed, pet, list], [removed, pet, get('/pets/2')]),
  'key.header': clients([list], [(client) => client.get(`/pets?key=${client.key}`)]),
}
