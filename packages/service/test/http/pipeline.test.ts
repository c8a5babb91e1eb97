// What remains of a request after its response, and after a stop: places in admission, and the counts of keys.

import { expect, test } from 'bun:test'
import { newKey } from '../../../../test/support/keys.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { startService } from '../../../../test/support/service.ts'
import { inTwoParts } from '../../../../test/support/slow-body.ts'
import { watchTimers } from '../../../../test/support/timers.ts'
import { until } from '../../../../test/support/until.ts'
import { generateKey, hashKey } from '../../src/domain/keys.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { type Runtime, replaceRuntime } from '../../src/system/runtime.ts'

test('a server that has stopped leaves no timer, and nothing of its requests', async () => {
  const { open, sizes, restore } = watchTimers()
  const service = await startService({ limits: { expiryEveryMs: 450 } })
  const statuses = await Promise.all([
    service.post(inTwoParts(petBody(), Bun.sleep(20))),
    ...[1, 2, 3].map(() => service.get('/pets')),
    service.post(petBody(), { 'Idempotency-Key': 'k' }),
    service.get('/pets', { Authorization: `Bearer ${generateKey('production')}` }),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([201, 200, 200, 200, 201, 401])
  const [, next = ''] =
    /<\/v1([^>]*)>/.exec((await service.get('/store/events?from=now')).headers.get('Link') ?? '') ?? []
  const reader = service.get(`${next}&wait=20`)
  await until('a reader waits', () => sizes.get('waiting readers')?.() === 1)
  await service.stop()
  expect((await reader).status).toBe(200)
  // Servers of other tests sweep. The wait is shorter than the time limit of a body.
  const left = () => [...open.values()].filter((ms) => ms !== LIMITS.expiryEveryMs)
  await until('no timer is left', () => left().length === 0, { ms: 5_000, seen: left })
  restore()
  expect([...sizes].map(([name, size]) => [name, size()])).toEqual([...sizes.keys()].map((name) => [name, 0]))
})

test('requests that are rejected or fail give back their places', async () => {
  const whole = await startService()
  const getInventory = () => Promise.reject(new Error('no inventory'))
  const service = await startService({ store: { ...whole.store, getInventory }, limits: { requestsMax: 4 } })
  await service.post(petBody())
  const refused = [
    [404, 'GET', '/pets/99'],
    [412, 'PATCH', '/pets/1', { headers: { 'If-Match': '"0"' }, body: '{"name":"Luna"}' }],
    [400, 'POST', '/pets', { body: '{}' }],
    [500, 'GET', '/store/inventory'],
  ] as const
  for (const [status, method, path, asked] of refused)
    for (let n = 0; n < 6; n++)
      expect([path, (await service.request(method, path, asked)).status]).toEqual([path, status])
  expect((await service.get('/pets/1')).status).toBe(200)
})

test('a stop saves the key uses and deprecated calls of the last responses', async () => {
  const { store } = await startService()
  const gate = Promise.withResolvers<void>()
  const late = generateKey('production')
  const { id } = await store.createKey(newKey({ hash: hashKey(late) }))
  let held = false
  const findKey: typeof store.findKey = async (hash) => {
    held = true
    await gate.promise
    return store.findKey(hash)
  }
  const service = await startService({ store: { ...store, findKey } })
  const answer = service.get('/pets/1', { Authorization: `Bearer ${late}` })
  await until('the request looks up its key', () => held)
  const real = replaceRuntime({} as Runtime)
  const startTimer: typeof real.startTimer = (act, ms) => {
    // The server waits for its last responses now.
    if (ms > 10_000) gate.resolve()
    return real.startTimer(act, ms)
  }
  replaceRuntime({ ...real, startTimer })
  await service.server.stop(20_000)
  replaceRuntime(real)
  expect((await answer).status).toBe(404)
  expect((await store.listKeys()).find((key) => key.id === id)?.lastUsedAt).toBe(service.clock.at)
  expect(await store.listDeprecatedCalls()).toMatchObject([{ keyId: id, operationId: 'getPet', calls: 1 }])
})

test('a stop ends after its grace period if the store never answers', async () => {
  const { store } = await startService()
  let asked = false
  const getPet = () => {
    asked = true
    return new Promise<never>(() => undefined)
  }
  const service = await startService({ store: { ...store, getPet } })
  const cut = service.get('/pets/1').then(
    () => 'answered',
    () => 'cut',
  )
  await until('the request waits for the store', () => asked)
  await service.server.stop(300)
  expect(await cut).toBe('cut')
})
