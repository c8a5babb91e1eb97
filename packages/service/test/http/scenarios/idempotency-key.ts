// Concurrent requests with the same Idempotency-Key.

import { beforeAll, expect, test } from 'bun:test'
import type { Store } from '../../../src/domain/store.ts'
import { bearer, describeApi, expectError, JSON_TYPE, type OnStore, PET } from './api.ts'

/** A store whose first create or order waits for `release`; `begun` resolves when it has started. */
function slowAtFirst(store: Store) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let calls = 0
  const slow =
    <Given extends unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      begin()
      if (++calls === 1) await held
      return method(...given)
    }
  const slowed = { ...store, createPet: slow(store.createPet), placeOrder: slow(store.placeOrder) }
  return { store: slowed, begun, release }
}

export function idempotencyKey(on: OnStore): void {
  describeApi('Idempotency-Key', on, (api) => {
    beforeAll(() => api.service.post(PET))

    test.each([
      ['/pets', PET],
      ['/store/orders', '{"petId":1}'],
    ])('a second request for %s while the first is in flight gets 409 idempotency_in_flight', async (path, body) => {
      const { store, release } = slowAtFirst(api.service.store)
      const slow = await api.start({ store })
      const ask = () => slow.request('POST', path, { headers: { ...JSON_TYPE, 'Idempotency-Key': '"slow"' }, body })
      const racing = [ask(), ask()]
      expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
      release()
      const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
      expect((await ask()).text).toBe(first?.text as string)
    })

    test('different API keys can use the same Idempotency-Key at the same time', async () => {
      const { store, begun, release } = slowAtFirst(api.service.store)
      const slow = await api.start({ store })
      const headers = { ...JSON_TYPE, 'Idempotency-Key': '"at once"' }
      const first = slow.post(PET, headers)
      await begun
      const other = await slow.post(PET, { ...headers, ...bearer(await slow.addKey()) })
      release()
      expect([other.status, (await first).status]).toEqual([201, 201])
    })
  })
}
