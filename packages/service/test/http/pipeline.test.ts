// A stop while the store hangs. The simulator (endurance/simulate/) tests what else remains of requests after a stop.

import { expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'

test('a stop ends after its grace period if the store never responds', async () => {
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
