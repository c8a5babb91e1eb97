// Requests that take long are answered, or get 503 after a limit.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { RETRY_AFTER_S } from '../../src/http/response/error-answer.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { openStore } from '../../src/store/kinds.ts'

/** Longer than the limit for a stalled request or response. */
const LONG_MS = 15_000

const body = '{"name":"Rex","categoryId":7}'

/** A service whose store waits for `until` before it reads or adds pets. */
async function startSlow(until: Promise<unknown>, options: { workSecondsMax?: number } = {}) {
  const store = await openStore(':memory:', { now: Date.now })
  const metrics = new Metrics()
  const slow = <Method extends (...given: never[]) => Promise<unknown>>(method: Method) =>
    (async (...given) => {
      await until
      return method(...given)
    }) as Method
  const slowed = { ...store, getPet: slow(store.getPet), createPet: slow(store.createPet), ping: slow(store.ping) }
  const service = await startService({ ...options, store: slowed, metrics })
  return { ...service, metrics }
}

// Concurrent, because each waits for seconds.
describe.concurrent('a request that takes long', () => {
  test('is answered', async () => {
    const service = await startSlow(Bun.sleep(LONG_MS))
    const asked = ['/v1/pets/1', '/readyz', `/v1/store/events?wait=${LONG_MS / 1_000}`]
    const headers = { Authorization: `Bearer ${service.key}` }
    const answers = await Promise.all(asked.map((path) => fetch(service.origin + path, { headers })))
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 200])
  })

  test('is answered 503 after the limit, but its change is still made and logged', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const service = await startSlow(held, { workSecondsMax: 2 })
    const [created, ready] = await Promise.all([service.post(body), fetch(`${service.origin}/readyz`)])
    expect([created.status, ready.status, created.headers.get('Retry-After')]).toEqual([503, 503, RETRY_AFTER_S])
    expect(JSON.parse(created.text)).toMatchObject({ code: 'unavailable' })
    // The metrics count the request once.
    const counted = async () =>
      (await service.metrics.text()).match(/^\w+_seconds_count{operation="createPet".* \d+$/gm)
    expect(await counted()).toEqual([expect.stringMatching(/"503"} 1$/)])
    release()
    expect(JSON.parse((await service.get('/pets')).text)).toMatchObject([{ name: 'Rex' }])
    await until('the create is logged', () => service.logged.some((line) => line.includes('"msg":"createPet"')))
    expect(await counted()).toHaveLength(1)
  })

  test('is not limited while it waits for events', async () => {
    const service = await startSlow(Promise.resolve(), { workSecondsMax: 1 })
    expect((await service.get('/store/events?wait=4')).status).toBe(200)
  })

  test('does not affect the service if its caller disconnects', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const service = await startSlow(held, { workSecondsMax: 8 })
    const signal = AbortSignal.timeout(1_000)
    const gone = fetch(`${service.url}/pets/1`, { signal, headers: { Authorization: `Bearer ${service.key}` } })
    expect((await rejectionOf(gone)).name).toBe('TimeoutError')
    await Bun.sleep(5_000)
    release()
    expect((await service.get('/pets/1')).status).toBe(404)
  })
})
