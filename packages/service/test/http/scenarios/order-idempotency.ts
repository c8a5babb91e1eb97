// An order under an Idempotency-Key while the first one is still running.

import { expect, test } from 'bun:test'
import type { OrderStore } from '../../../src/domain/orders.ts'
import type { Store } from '../../../src/domain/store.ts'
import { describeApi, expectError, JSON_TYPE, type OnStore } from './api.ts'
import { ordersOf } from './orders.ts'

export function orderIdempotency(on: OnStore): void {
  describeApi('Idempotency-Key of placeOrder', on, (api) => {
    const { newPet } = ordersOf(api)

    test('while the first request is running, the second: 409 idempotency_in_flight', async () => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const store = api.service.store as Store & OrderStore
      const slow = await api.start({
        store: {
          ...store,
          placeOrder: async (...order) => {
            await held
            return store.placeOrder(...order)
          },
        },
      })
      const body = JSON.stringify({ petId: await newPet() })
      const headers = { ...JSON_TYPE, 'Idempotency-Key': '"slow"' }
      const ask = () => slow.request('POST', '/store/orders', { headers, body })
      const racing = [ask(), ask()]
      expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
      release()
      const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
      expect((await ask()).text).toBe(first?.text as string)
    })
  })
}
