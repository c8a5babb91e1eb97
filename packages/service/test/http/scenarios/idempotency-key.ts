// Creates under an Idempotency-Key while the first one is still running.

import { expect, test } from 'bun:test'
import { bearer, describeApi, expectError, JSON_TYPE, type OnStore, PET } from './api.ts'

export function idempotencyKey(on: OnStore): void {
  describeApi('Idempotency-Key', on, (api) => {
    test('different API keys may use the same key at the same time', async () => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const { store } = api.service
      let calls = 0
      const slow = await api.start({
        store: {
          ...store,
          createPet: async (...creation) => {
            if (++calls === 1) {
              begin()
              await held
            }
            return store.createPet(...creation)
          },
        },
      })
      const headers = { ...JSON_TYPE, 'Idempotency-Key': '"at once"' }
      const first = slow.post(PET, headers)
      await begun
      const other = await slow.post(PET, { ...headers, ...bearer(await slow.addKey()) })
      release()
      expect([other.status, (await first).status]).toEqual([201, 201])
    })

    test('while the first request is running, the second: 409 idempotency_in_flight', async () => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const slow = await api.start({
        store: {
          ...api.service.store,
          createPet: async (...creation) => {
            await held
            return api.service.store.createPet(...creation)
          },
        },
      })
      const create = () => slow.post(PET, { 'Idempotency-Key': '"five"' })
      const racing = [create(), create()]
      expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
      release()
      const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
      expect((await create()).text).toBe(first?.text as string)
    })
  })
}
