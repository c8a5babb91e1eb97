// Requests that take longer than the limit get 503. The test makes the seconds pass.

import { afterEach, expect, test } from 'bun:test'
import { untilCount } from '../../../../test/support/metrics.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { RETRY_AFTER_S } from '../../src/http/response/response.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { openStore } from '../../src/store/kinds.ts'
import { type Runtime, replaceRuntime } from '../../src/system/runtime.ts'

const LIMIT_S = 30
const real = replaceRuntime({} as Runtime)
replaceRuntime(real)
afterEach(() => void replaceRuntime(real))

/** A service whose store waits for `release` before it reads or adds pets. `pass` makes seconds pass. */
async function startSlow() {
  const looks: (() => void)[] = []
  const startInterval: Runtime['startInterval'] = (act, ms) => {
    if (ms === 1_000) looks.push(act)
    return real.startInterval(act, ms === 1_000 ? 1e9 : ms)
  }
  replaceRuntime({ ...real, startInterval })
  const store = await openStore(':memory:', { now: Date.now })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const slow = <Method extends (...given: never[]) => Promise<unknown>>(method: Method) =>
    (async (...given) => {
      await held
      return method(...given)
    }) as Method
  const slowed = { ...store, getPet: slow(store.getPet), createPet: slow(store.createPet), ping: slow(store.ping) }
  const metrics = new Metrics()
  const service = await startService({ store: slowed, metrics, now: Date.now })
  const pass = (seconds: number) => {
    for (let n = 0; n < seconds; n++) for (const look of looks) look()
  }
  return { ...service, metrics, pass, release }
}

test('a request gets 503 after the limit, but its change is still made and logged; a wait for events is not limited', async () => {
  const service = await startSlow()
  const reading = service.get('/store/events?from=now&petId=1&wait=20')
  const answers = Promise.all([service.post(petBody()), fetch(`${service.origin}/readyz`)])
  await untilCount(service.metrics, 'waiting', 1)
  await untilCount(service.metrics, 'answering', 2)
  service.pass(LIMIT_S)
  expect(await Promise.race([answers, Bun.sleep(0)])).toBeUndefined()
  service.pass(1)
  const [created, ready] = await answers
  expect([created.status, ready.status, created.headers.get('Retry-After')]).toEqual([503, 503, RETRY_AFTER_S])
  expect(JSON.parse(created.text)).toMatchObject({ code: 'unavailable' })
  // The metrics count the request once.
  const counted = async () => (await service.metrics.text()).match(/^\w+_seconds_count{operation="createPet".* \d+$/gm)
  expect(await counted()).toEqual([expect.stringMatching(/"503"} 1$/)])
  service.release()
  expect((await reading).text).toContain('"pet.added"')
  await until('the create is logged', () => service.logged.some((line) => line.includes('"msg":"createPet"')))
  expect(await counted()).toHaveLength(1)
})

test('a request whose caller disconnects does not affect the service', async () => {
  const service = await startSlow()
  const caller = new AbortController()
  const headers = { Authorization: `Bearer ${service.key}` }
  const gone = rejectionOf(fetch(`${service.url}/pets/1`, { signal: caller.signal, headers }))
  await untilCount(service.metrics, 'answering', 1)
  caller.abort()
  expect((await gone).name).toBe('AbortError')
  service.pass(LIMIT_S + 1)
  service.release()
  expect((await service.get('/pets/1')).status).toBe(404)
})
