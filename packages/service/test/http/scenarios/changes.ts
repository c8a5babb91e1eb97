// The log of each change.

import { beforeAll, expect, test } from 'bun:test'
import { describeApi, JSON_TYPE, type OnStore, PET, turnToNow } from './api.ts'

export function changes(on: OnStore): void {
  describeApi('changes', on, (api) => {
    beforeAll(() => turnToNow(api))

    test('are logged with each object, key and request, and without the key itself', async () => {
      const logged = async (ask: string, msg: string, fields: object, body?: string) => {
        const [method = '', path = ''] = ask.split(' ')
        const { headers, text } = await api.service.request(method, path, { headers: JSON_TYPE, body })
        const requestId = headers.get('X-Request-Id')
        const line = JSON.parse(api.service.logged.at(-1) ?? '')
        expect(line).toMatchObject({ level: 'info', msg, keyId: '1', requestId, ...fields })
        expect(text).not.toContain(requestId as string)
        return line
      }
      const { petId } = await logged('POST /pets', 'createPet', {}, PET)
      const place = { petId, status: 'pending' }
      const { orderId } = await logged('POST /store/orders', 'placeOrder', place, `{"petId":${petId}}`)
      const path = `/store/orders/${orderId}`
      await logged(`PATCH ${path}`, 'updateOrder', { ...place, orderId }, '{"reference":"Ada"}')
      await logged(`POST ${path}/complete`, 'completeOrder', { orderId, petId, status: 'completed' })
      await logged(`POST ${path}/return`, 'returnOrder', { orderId, petId, status: 'returned' })
      const other = (await logged('POST /store/orders', 'placeOrder', place, `{"petId":${petId}}`)).orderId
      await logged(`DELETE /store/orders/${other}`, 'cancelOrder', { orderId: other, petId, status: 'cancelled' })
      await logged(`PATCH /pets/${petId}`, 'updatePet', { petId }, '{"name":"Luna"}')
      const { petId: unsold } = await logged('POST /pets', 'createPet', {}, PET)
      await logged(`DELETE /pets/${unsold}`, 'deletePet', { petId: unsold })
      expect(api.service.logged.join('')).not.toContain(api.service.key.slice(10))
    })
  })
}
