// The log of an expired reservation.

import { expect, test } from 'bun:test'
import { until } from '../../../../../test/support/until.ts'
import { addPet, describeApi, JSON_TYPE, type OnStore, turnToNow } from './api.ts'

const RESERVED_MS = 800

export function orderExpiry(on: OnStore): void {
  describeApi('a reservation that expires', on, (api) => {
    test('is logged with its pet', async () => {
      turnToNow(api)
      const petId = await addPet(api)
      const body = JSON.stringify({ petId, expiresAt: new Date(Date.now() + RESERVED_MS).toISOString() })
      const { text } = await api.service.request('POST', '/store/orders', { headers: JSON_TYPE, body })
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
