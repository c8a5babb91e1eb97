// Overload: the service rejects requests, and logs how many.

import { afterEach, expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'
import { OVERLOADED } from '../../src/domain/petstore-error.ts'
import { Admission } from '../../src/http/limits.ts'
import { RETRY_AFTER_S } from '../../src/http/response/response.ts'
import { type Runtime, replaceRuntime } from '../../src/system/runtime.ts'

let at = 0
const real = replaceRuntime({} as Runtime)
replaceRuntime(real)
const useClock = () => void replaceRuntime({ ...real, monotonicMs: () => at })
afterEach(() => void replaceRuntime(real))

test.each([
  [100, 'rejects'],
  [10, 'admits'],
])('a slow turn of the event loop with %d requests %s more', async (count, outcome) => {
  useClock()
  const admission = new Admission()
  const check = () => admission.check()
  for (let n = 0; n < count; n++) check()
  at += 300
  if (outcome === 'rejects') expect(check).toThrow(OVERLOADED)
  else for (let n = 0; n < count; n++) check()
  await new Promise(setImmediate)
  check()
})

test('rejects requests while thousands wait for the store', () => {
  const admission = new Admission()
  for (let n = 0; n < 4096; n++) admission.enter()
  expect(() => admission.check()).toThrow(OVERLOADED)
  admission.leave()
  admission.check()
})

test('an overloaded server responds to some requests, rejects others with 503, and logs only their number', async () => {
  const { store } = await startService()
  useClock()
  const getPet: typeof store.getPet = (id) => {
    at += 5
    return store.getPet(id)
  }
  const busy = await startService({ store: { ...store, getPet } })
  const answers = await Promise.all(Array.from({ length: 250 }, () => busy.get('/pets/1')))
  const refused = answers.filter(({ status }) => status === 503)
  expect(answers.filter(({ status }) => status === 404).length + refused.length).toBe(250)
  expect(refused.length).toBeGreaterThan(0)
  expect(JSON.parse(refused[0]?.text ?? '')).toMatchObject({ code: 'unavailable', status: 503 })
  expect(refused[0]?.headers.get('Retry-After')).toBe(RETRY_AFTER_S)
  expect((await busy.get('/pets/1')).status).toBe(404)
  await busy.server.stop(1_000)
  const logged = busy.logged.map((line) => JSON.parse(line))
  expect(logged.map(({ msg }) => msg)).toEqual(['overloaded'])
  expect(logged[0].shed).toBe(refused.length)
})
