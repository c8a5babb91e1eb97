// The log of an expired reservation. The test keeps its clock, which SQLite uses, at the real time, which PostgreSQL
// uses.

import { expect, test } from 'bun:test'
import { until } from '../../../../../test/support/until.ts'
import { describeApi, type OnStore } from './api.ts'
import { ordersOf, turnToNow } from './orders.ts'

const RESERVED_MS = 800

export function orderExpiry(on: OnStore): void {
  describeApi('a reservation that expires', on, (api) => {
    const { newPet, place } = ordersOf(api)

    test('is logged with its pet', async () => {
      turnToNow(api)
      const petId = await newPet()
      const { text } = await place({ petId, expiresAt: new Date(Date.now() + RESERVED_MS).toISOString() })
      const orderId = String(JSON.parse(text).id)
      await until('the reservation has ended', async () => {
        turnToNow(api)
        return !(await api.service.get(`/store/orders/${orderId}`)).text.includes('pending')
      })
      const line = api.service.logged.find((one) => one.includes('"expireOrders"')) ?? ''
      expect(JSON.parse(line)).toMatchObject({ orderId, petId: String(petId), status: 'expired' })
    })
  })
}
